"""A humanoid's ankle: where the foot is, what the motors can do there, and where the loop ends.

Two motors in the shank move the foot through two rods. A controller thinks in pitch and roll, the drives in motor
angles; between them stand both maps, the Jacobian and its rate. All of it belongs to one branch of the loop: a pose
that cannot be told to be on it is refused.
"""

import numpy as np

import closedchain as cc

MOTORS = [0.3, -0.3]  # [rad]
TORQUE, SPEED = [40.0, 40.0], [30.0, 30.0]  # [N m], [rad/s] of the motors
ROTORS = [8e-3, 8e-3]  # [kg m^2] at the cranks, gearboxes included


def main() -> float:
    """The foot's pitch with the motors at 0.3 and -0.3 rad."""
    ankle = cc.transmission(cc.load("ankle:g1"))
    print(ankle)

    at = ankle.at(q=MOTORS, q_dot=[1.0, -1.0])
    pitch, roll = at.y
    print(f"motors {MOTORS} rad: pitch {pitch:.9f}, roll {roll:.9f} rad")
    print(f"and back: {ankle.to_motor([pitch, roll])}")
    print(f"rates of the joints {at.y_dot} rad/s; the Jacobian changes by\n{at.J_dot} a second")

    # What the motors allow at the joints: a parallelogram each, corner by corner.
    print("efforts at the corners [N m]:", *np.round(at.torques(TORQUE), 2).tolist())
    print("rates at the corners [rad/s]:", *np.round(at.speeds(SPEED), 2).tolist())
    print("the rotors are felt at the joints as\n", at.reflected(ROTORS), "kg m^2")

    # Power is the same on both sides, whatever the efforts.
    tau_joint = np.array([12.0, -3.0])
    tau_motor = at.J.T @ tau_joint
    assert np.isclose(tau_joint @ at.y_dot, tau_motor @ at.q_dot, rtol=1e-12)

    # A whole gait at once, and a pose that the loop does not reach.
    t = np.linspace(0.0, 1.0, 500)
    gait = np.stack([0.3 * np.sin(2 * np.pi * t) - 0.1, 0.1 * np.cos(2 * np.pi * t)], axis=-1)
    motors = ankle.to_motor(gait)
    print(f"a gait of {len(gait)} poses needs motors from {motors.min(axis=0)} to {motors.max(axis=0)} rad")
    try:
        ankle.to_motor([0.5, 0.26])
    except cc.ClosedChainError as refused:
        print(refused)
    return float(pitch)


if __name__ == "__main__":
    main()
