"""A 3-RRR by hand: each leg is a triangle from its motor to the platform's corner. Direct geometry and masses are left.

closedchain lab grade examples/11_lab/rrr3_models.py
"""

import itertools

import numpy as np

x2, x3, y3, l1, l2, h = 3.0, 1.5, 3.0, 1.0, 1.0, 0.5
BASE = np.array([[0.0, 0.0], [x2, 0.0], [x3, y3]])


def corners(x, y, phi):
    """The platform's corners: an equilateral triangle of side h, the first at (x, y)."""
    turned = [np.zeros(2), *(h * np.array([np.cos(phi + a), np.sin(phi + a)]) for a in (0.0, np.pi / 3))]
    return np.array([x, y]) + np.array(turned)


def inverse(x, y, phi):
    """Two elbows for each leg."""
    angles = []
    for corner, foot in zip(corners(x, y, phi), BASE, strict=True):
        away = corner - foot
        far = np.hypot(*away)
        cosine = (l1**2 + far**2 - l2**2) / (2 * l1 * far)
        if abs(cosine) > 1:
            return []
        angles.append([np.arctan2(away[1], away[0]) + s * np.arccos(cosine) for s in (1, -1)])
    return list(itertools.product(*angles))


def jacobians(x, y, phi, theta1, theta2, theta3):
    """Along the second bar of each leg nothing moves."""
    J_x, J_q = [], []
    for corner, foot, a in zip(corners(x, y, phi), BASE, (theta1, theta2, theta3), strict=True):
        arm = corner - np.array([x, y])
        bar = corner - foot - l1 * np.array([np.cos(a), np.sin(a)])
        J_x.append([*bar, bar @ [-arm[1], arm[0]]])
        J_q.append(-bar @ [-l1 * np.sin(a), l1 * np.cos(a)])
    return np.array(J_x), np.diag(J_q)


def velocities(x, y, phi, theta1, theta2, theta3, theta1D, theta2D, theta3D):
    """J_x ẋ + J_q q̇ = 0."""
    J_x, J_q = jacobians(x, y, phi, theta1, theta2, theta3)
    return -np.linalg.solve(J_x, J_q @ [theta1D, theta2D, theta3D])


def main():
    """The first motor for a corner at (1, 1): 45° to it, and 45° more for an elbow of two bars of 1 m [rad]."""
    found = inverse(1.0, 1.0, 0.0)
    largest = float(max(angles[0] for angles in found))
    print(f"{len(found)} inverse solutions; the first motor at up to {np.degrees(largest):.1f}°")
    return largest


if __name__ == "__main__":
    main()
