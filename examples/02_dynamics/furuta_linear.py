"""Furuta, linear: which way is up, and how fast does it fall?

The rotary pendulum of seed 003 is driven by a motor's voltage. About "upright" it is unstable; about "hanging" it
swings. The same machine with q2 counted from the other end must give the same physics: a check that costs two lines.
"""

import numpy as np

import closedchain as cc


def main() -> float:
    """The unstable pole upright [1/s]."""
    up, down = cc.load("furuta"), cc.load("furuta:hanging")

    upright = cc.linearise(up, q=[0.0, 0.0], inputs="voltage")
    hanging = cc.linearise(down, q=[0.0, 0.0], inputs="voltage")
    print("states", upright.states, "input", upright.inputs)
    print("poles upright:", np.round(upright.poles, 4))
    print("poles hanging:", np.round(hanging.poles, 4))

    # The furuta that counts from upright hangs at q2 = pi: the same poles.
    same = cc.linearise(up, q=[0.0, np.pi], inputs="voltage")
    assert np.allclose(np.sort_complex(same.poles), np.sort_complex(hanging.poles), atol=1e-9)

    # Shorted (0 V) is not free: back-EMF brakes the arm. With effort as input the arm only has its bearing's friction.
    free = cc.linearise(up, q=[0.0, 0.0], inputs="tau")
    print("poles upright, arm free:", np.round(free.poles, 4))

    # The linear model is the nonlinear one's slope: a nudge of 1e-6 rad.
    nudge = cc.evaluate(up, q=[0.0, 1e-6], q_dot=[0.0, 0.0], voltage=[0.0]).q_ddot / 1e-6
    assert np.allclose(nudge, upright.A[2:, 1], rtol=1e-6)

    # 45 degrees is not an equilibrium, whatever the motor does.
    try:
        cc.linearise(up, q=[0.0, np.pi / 4])
    except cc.ClosedChainError as refusal:
        print(refusal)

    # Can the motor balance it at all? The controllability matrix has full rank.
    A, B = upright.A, upright.B
    reachable = np.hstack([np.linalg.matrix_power(A, k) @ B for k in range(4)])
    print("controllable:", np.linalg.matrix_rank(reachable) == 4)
    return float(upright.poles.real.max())


if __name__ == "__main__":
    main()
