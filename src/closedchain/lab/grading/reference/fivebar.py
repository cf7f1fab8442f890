"""The five-bar: A ẋ = B q̇, A ẍ = B q̈ + v, M = diag(ZZ1R, ZZ2R) + m_R JᵀJ, c = m_R Jᵀ A⁻¹ v."""

# mypy: ignore-errors
# ruff: noqa: F821, D103


def arm(x, y, gamma):
    return arctan2(y, x) + gamma * arccos(sqrt(x**2 + y**2) / (2 * l))


def igm(x, y, gamma1, gamma2):
    q11 = arm(x + d / 2, y, gamma1)
    q21 = arm(x - d / 2, y, gamma2)
    return q11, q21


def dgm(q11, q21, assembly_mode):
    x1, y1 = l * cos(q11) - d / 2, l * sin(q11)
    x2, y2 = l * cos(q21) + d / 2, l * sin(q21)
    a = sqrt((x2 - x1) ** 2 + (y2 - y1) ** 2) / 2
    h = assembly_mode * sqrt(l**2 - a**2)
    x = (x1 + x2) / 2 + h * (y2 - y1) / (2 * a)
    y = (y1 + y2) / 2 - h * (x2 - x1) / (2 * a)
    return x, y


def passive(x, y, q):
    return arctan2(y - l * sin(q), x - l * cos(q)) - q


def dgm_passive(q11, q21, assembly_mode):
    x, y = dgm(q11, q21, assembly_mode)
    q12 = passive(x + d / 2, y, q11)
    q22 = passive(x - d / 2, y, q21)
    return q12, q22


def phi(q1, q2):
    return q1 + q2


def phiD(q1D, q2D):
    return q1D + q2D


def rows(phi1, phi2):
    return matrix(cos(phi1), sin(phi1), cos(phi2), sin(phi2))


def drives(q11, phi1, q21, phi2):
    return diagonal(l * sin(phi1 - q11), l * sin(phi2 - q21))


def velocity_term(q, phi, qD, phiD):
    return -l * cos(phi - q) * qD**2 - l * phiD**2


def velocity_terms(q11, phi1, q21, phi2, q11D, q12D, q21D, q22D):
    v1 = velocity_term(q11, phi1, q11D, phiD(q11D, q12D))
    v2 = velocity_term(q21, phi2, q21D, phiD(q21D, q22D))
    return vector(v1, v2)


def dkm(q11, q12, q21, q22, q11D, q21D):
    phi1, phi2 = phi(q11, q12), phi(q21, q22)
    A, B = rows(phi1, phi2), drives(q11, phi1, q21, phi2)
    return apply(times(inverse(A), B), vector(q11D, q21D))


def ikm(q11, q12, q21, q22, xD, yD):
    phi1, phi2 = phi(q11, q12), phi(q21, q22)
    A, B = rows(phi1, phi2), drives(q11, phi1, q21, phi2)
    return apply(times(inverse(B), A), vector(xD, yD))


def passive_rate(phi, q, qD, xD, yD):
    return (-sin(phi) * xD + cos(phi) * yD) / l - cos(phi - q) * qD - qD


def dkm_passive(q11, q12, q21, q22, q11D, q21D, xD, yD):
    phi1, phi2 = phi(q11, q12), phi(q21, q22)
    return passive_rate(phi1, q11, q11D, xD, yD), passive_rate(phi2, q21, q21D, xD, yD)


def dkm2(q11, q12, q21, q22, q11D, q12D, q21D, q22D, q11DD, q21DD):
    phi1, phi2 = phi(q11, q12), phi(q21, q22)
    A, B = rows(phi1, phi2), drives(q11, phi1, q21, phi2)
    v = velocity_terms(q11, phi1, q21, phi2, q11D, q12D, q21D, q22D)
    return apply(inverse(A), apply(B, vector(q11DD, q21DD)) + v)


def ikm2(q11, q12, q21, q22, q11D, q12D, q21D, q22D, xDD, yDD):
    phi1, phi2 = phi(q11, q12), phi(q21, q22)
    A, B = rows(phi1, phi2), drives(q11, phi1, q21, phi2)
    v = velocity_terms(q11, phi1, q21, phi2, q11D, q12D, q21D, q22D)
    return apply(inverse(B), apply(A, vector(xDD, yDD)) - v)


def dkm2_passive(q11, q12, q21, q22, q11D, q12D, q21D, q22D, q11DD, q21DD, xDD, yDD):
    phi1, phi2 = phi(q11, q12), phi(q21, q22)
    q12DD = passive_rate(phi1, q11, q11DD, xDD, yDD) - sin(phi1 - q11) * q11D**2
    q22DD = passive_rate(phi2, q21, q21DD, xDD, yDD) - sin(phi2 - q21) * q21D**2
    return q12DD, q22DD


def dynamic_model(q11, q12, q21, q22, q11D, q12D, q21D, q22D):
    phi1, phi2 = phi(q11, q12), phi(q21, q22)
    A, B = rows(phi1, phi2), drives(q11, phi1, q21, phi2)
    v = velocity_terms(q11, phi1, q21, phi2, q11D, q12D, q21D, q22D)
    J = times(inverse(A), B)
    M = diagonal(ZZ1R, ZZ2R) + mR * times(transpose(J), J)
    c = mR * apply(transpose(J), apply(inverse(A), v))
    return M, c
