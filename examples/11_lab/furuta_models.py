"""The seven functions of the furuta's exercise, from its energies by hand; q2 = 0 is upright.

closedchain lab grade examples/11_lab/furuta_models.py
"""

import numpy as np

J1, l1, m, lc = 0.0044, 0.2, 0.14, 0.15
Jc = m * (2 * lc) ** 2 / 12
b1, b2, g = 0.015, 0.002, 9.81
Ra, kt, kv, kr = 2.6, 0.00767, 0.00767, 70.0
ABOUT = Jc + m * lc**2  # [kg m²] of the rod about its joint


def mass_matrix(q1, q2):
    """The arm carries the pendulum's mass, and the rod stands out by sin q2."""
    s, c = np.sin(q2), np.cos(q2)
    return np.array([[J1 + m * l1**2 + ABOUT * s**2, m * l1 * lc * c], [m * l1 * lc * c, ABOUT]])


def bias(q1, q2, q1D, q2D):
    """d/dt of ∂T/∂q̇ without q̈, less ∂T/∂q, friction, gravity."""
    s, c = np.sin(q2), np.cos(q2)
    return np.array(
        [
            2 * ABOUT * s * c * q1D * q2D - m * l1 * lc * s * q2D**2 + b1 * q1D,
            -ABOUT * s * c * q1D**2 + b2 * q2D - m * g * lc * s,
        ]
    )


def motor_torque(v, q1D):
    """kr kt i, with i = (v − kr kv q1D)/Ra."""
    return kr * kt * (v - kr * kv * q1D) / Ra


def accelerations(q1, q2, q1D, q2D, v):
    """M⁻¹ ((tau, 0) − c)."""
    effort = np.array([motor_torque(v, q1D), 0.0])
    return np.linalg.solve(mass_matrix(q1, q2), effort - bias(q1, q2, q1D, q2D))


def energies(q1, q2, q1D, q2D):
    """½ q̇ᵀ M q̇, and the height of the centre."""
    rate = np.array([q1D, q2D])
    return rate @ mass_matrix(q1, q2) @ rate / 2, m * g * lc * np.cos(q2)


def tip(q1, q2):
    """The arm's end, then sideways and up."""
    side = 2 * lc * np.sin(q2)
    return l1 * np.cos(q1) - side * np.sin(q1), l1 * np.sin(q1) + side * np.cos(q1), 2 * lc * np.cos(q2)


def simulate(q1, q2, q1D, q2D, v, duration):
    """Runge and Kutta's method in steps of a millisecond."""

    def rate(z):
        return np.array([z[2], z[3], *accelerations(*z, v)])

    steps = max(1, round(duration / 1e-3))
    h, z = duration / steps, np.array([q1, q2, q1D, q2D])
    for _ in range(steps):
        a = rate(z)
        b = rate(z + h / 2 * a)
        c = rate(z + h / 2 * b)
        z = z + h / 6 * (a + 2 * b + 2 * c + rate(z + h * c))
    return z


def main():
    """How far the pendulum has fallen from 0.01 rad after 2 s without a voltage [rad]."""
    fallen = float(simulate(0.0, 0.01, 0.0, 0.0, 0.0, 2.0)[1])
    print(f"the pendulum has fallen to {fallen:.6f} rad")
    return fallen


if __name__ == "__main__":
    main()
