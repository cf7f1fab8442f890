"""The biglide: A ẋ = B q̇, A ẍ = B q̈ + v, M = m_f 1 + m_p JᵀJ, c = m_p Jᵀ A⁻¹ v."""

# mypy: ignore-errors
# ruff: noqa: F821, D103


def foot(x, y, gamma):
    return y + gamma * sqrt(l**2 - x**2)


def igm(x, y, gamma1, gamma2):
    q11 = foot(x + d / 2, y, gamma1)
    q21 = foot(x - d / 2, y, gamma2)
    return q11, q21


def dgm(q11, q21, assembly_mode):
    a = sqrt(d**2 + (q11 - q21) ** 2) / 2
    h = assembly_mode * sqrt(l**2 - a**2)
    x = -h * (q11 - q21) / (2 * a)
    y = (q11 + q21) / 2 - h * d / (2 * a)
    return x, y


def dgm_passive(q11, q21, assembly_mode):
    x, y = dgm(q11, q21, assembly_mode)
    q12 = arctan2(y - q11, x + d / 2)
    q22 = arctan2(y - q21, x - d / 2)
    return q12, q22


def rows(q12, q22):
    return matrix(cos(q12), sin(q12), cos(q22), sin(q22))


def drives(q12, q22):
    return diagonal(sin(q12), sin(q22))


def velocity_terms(q12D, q22D):
    return vector(-l * q12D**2, -l * q22D**2)


def dkm(q11, q12, q21, q22, q11D, q21D):
    A, B = rows(q12, q22), drives(q12, q22)
    return apply(times(inverse(A), B), vector(q11D, q21D))


def ikm(q11, q12, q21, q22, xD, yD):
    A, B = rows(q12, q22), drives(q12, q22)
    return apply(times(inverse(B), A), vector(xD, yD))


def passive_rate(q, qD, xD, yD):
    return (-sin(q) * xD + cos(q) * yD - cos(q) * qD) / l


def dkm_passive(q11, q12, q21, q22, q11D, q21D, xD, yD):
    return passive_rate(q12, q11D, xD, yD), passive_rate(q22, q21D, xD, yD)


def dkm2(q11, q12, q21, q22, q11D, q12D, q21D, q22D, q11DD, q21DD):
    A, B = rows(q12, q22), drives(q12, q22)
    v = velocity_terms(q12D, q22D)
    return apply(inverse(A), apply(B, vector(q11DD, q21DD)) + v)


def ikm2(q11, q12, q21, q22, q11D, q12D, q21D, q22D, xDD, yDD):
    A, B = rows(q12, q22), drives(q12, q22)
    v = velocity_terms(q12D, q22D)
    return apply(inverse(B), apply(A, vector(xDD, yDD)) - v)


def dkm2_passive(q11, q12, q21, q22, q11D, q12D, q21D, q22D, q11DD, q21DD, xDD, yDD):
    return passive_rate(q12, q11DD, xDD, yDD), passive_rate(q22, q21DD, xDD, yDD)


def dynamic_model(q11, q12, q21, q22, q11D, q12D, q21D, q22D):
    A, B = rows(q12, q22), drives(q12, q22)
    v = velocity_terms(q12D, q22D)
    J = times(inverse(A), B)
    M = diagonal(mf, mf) + mp * times(transpose(J), J)
    c = mp * apply(transpose(J), apply(inverse(A), v))
    return M, c
