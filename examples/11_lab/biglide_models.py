"""The ten functions that a group of the lab writes, for the biglide, in vectors.

Along each bar u = (cos φ, sin φ), across it v = (−sin φ, cos φ). A bar keeps its length, so
    u · ẋ = q̇ sin φ,    v · ẋ = q̇ cos φ + l φ̇,    u · ẍ = q̈ sin φ − l φ̇²,    v · ẍ = q̈ cos φ + l φ̈.

closedchain lab grade examples/11_lab/biglide_models.py
"""

import numpy as np

l, d = 0.2828427, 0.4  # [m] the lab's model
mp, mf = 3.0, 1.0  # [kg] tip, each foot


def dgm(q11, q21, assembly_mode):
    """The tip stands on the middle of the feet, at Pythagoras' height; mode −1 is above."""
    half = np.array([d, q21 - q11]) / 2
    a = np.hypot(*half)
    return tuple(np.array([0.0, (q11 + q21) / 2]) - assembly_mode * np.sqrt(l**2 - a**2) / a * half[::-1] * [-1, 1])


def igm(x, y, gamma1, gamma2):
    """Each foot for itself."""
    return y + gamma1 * np.sqrt(l**2 - (x + d / 2) ** 2), y + gamma2 * np.sqrt(l**2 - (x - d / 2) ** 2)


def dgm_passive(q11, q21, assembly_mode):
    """The bars' angles from the x axis."""
    x, y = dgm(q11, q21, assembly_mode)
    return np.arctan2(y - q11, x + d / 2), np.arctan2(y - q21, x - d / 2)


def along(q12, q22):
    """Rows u of the two bars."""
    return np.stack([np.cos([q12, q22]), np.sin([q12, q22])], axis=1)


def across(q12, q22):
    """Rows v of the two bars."""
    return np.stack([-np.sin([q12, q22]), np.cos([q12, q22])], axis=1)


def dkm(q11, q12, q21, q22, q11D, q21D):
    """From u · ẋ."""
    u = along(q12, q22)
    return tuple(np.linalg.solve(u, u[:, 1] * [q11D, q21D]))


def ikm(q11, q12, q21, q22, xD, yD):
    """From u · ẋ."""
    u = along(q12, q22)
    return tuple(u @ [xD, yD] / u[:, 1])


def dkm_passive(q11, q12, q21, q22, q11D, q21D, xD, yD):
    """From v · ẋ."""
    v = across(q12, q22)
    return tuple((v @ [xD, yD] - v[:, 1] * [q11D, q21D]) / l)


def dkm2(q11, q12, q21, q22, q11D, q12D, q21D, q22D, q11DD, q21DD):
    """From u · ẍ."""
    u = along(q12, q22)
    return tuple(np.linalg.solve(u, u[:, 1] * [q11DD, q21DD] - l * np.square([q12D, q22D])))


def ikm2(q11, q12, q21, q22, q11D, q12D, q21D, q22D, xDD, yDD):
    """From u · ẍ."""
    u = along(q12, q22)
    return tuple((u @ [xDD, yDD] + l * np.square([q12D, q22D])) / u[:, 1])


def dkm2_passive(q11, q12, q21, q22, q11D, q12D, q21D, q22D, q11DD, q21DD, xDD, yDD):
    """From v · ẍ."""
    v = across(q12, q22)
    return tuple((v @ [xDD, yDD] - v[:, 1] * [q11DD, q21DD]) / l)


def dynamic_model(q11, q12, q21, q22, q11D, q12D, q21D, q22D):
    """M = m_f + m_p JᵀJ and c = m_p Jᵀ b, where ẍ = J q̈ + b."""
    u = along(q12, q22)
    J = np.linalg.solve(u, np.diag(u[:, 1]))
    b = np.linalg.solve(u, -l * np.square([q12D, q22D]))
    return mf * np.eye(2) + mp * J.T @ J, mp * J.T @ b


def main() -> float:
    """The tip's height above level feet, and that igm finds the feet again."""
    x, y = dgm(0.02, -0.01, -1)
    print(f"feet at 20 and −10 mm: tip at ({x:.6f}, {y:.6f}) m, bars at {np.degrees(dgm_passive(0.02, -0.01, -1))}°")
    print(f"and back: {igm(x, y, -1, -1)}")
    return float(dgm(0.0, 0.0, -1)[1])


if __name__ == "__main__":
    main()
