"""Scripts in the lab's style, and right models of the five-bar, as the files that groups write."""

from pathlib import Path

from closedchain_lab import skeletons

BIGLIDE_MODELS = (Path(__file__).parents[2] / "examples/11_lab/biglide_models.py").read_text(encoding="utf-8")

FIVE_BAR_MODELS = """
from math import *
import numpy as np

l = 0.09
d = 0.118
ZZ1R = 1.0 * 0.045 * 0.045
ZZ2R = 1.0 * 0.045 * 0.045
mR = 0.5


def elbows(q11, q21):
    return np.array([-d / 2 + l * cos(q11), l * sin(q11)]), np.array([d / 2 + l * cos(q21), l * sin(q21)])


def dgm(q11, q21, assembly_mode):
    A1, A2 = elbows(q11, q21)
    half = (A2 - A1) / 2
    a = np.linalg.norm(half)
    C = (A1 + A2) / 2 - assembly_mode * sqrt(l**2 - a**2) / a * np.array([-half[1], half[0]])
    return C[0], C[1]


def igm(x, y, gamma1, gamma2):
    angles = []
    for side, gamma in ((-1, gamma1), (1, gamma2)):
        dx = x - side * d / 2
        angles.append(atan2(y, dx) + gamma * acos(hypot(dx, y) / (2 * l)))
    return tuple(angles)


def dgm_passive(q11, q21, assembly_mode):
    x, y = dgm(q11, q21, assembly_mode)
    A1, A2 = elbows(q11, q21)
    return atan2(y - A1[1], x - A1[0]) - q11, atan2(y - A2[1], x - A2[0]) - q21


def frames(q11, q12, q21, q22):
    cranks = [np.array([cos(q), sin(q)]) for q in (q11, q21)]
    bars = [np.array([cos(q), sin(q)]) for q in (q11 + q12, q21 + q22)]
    turned = [[np.array([-e[1], e[0]]) for e in group] for group in (cranks, bars)]
    return cranks, turned[0], bars, turned[1]


def dkm(q11, q12, q21, q22, q11D, q21D):
    r, t, u, v = frames(q11, q12, q21, q22)
    A, B = np.array(u), np.diag([l * (u[i] @ t[i]) for i in range(2)])
    return tuple(np.linalg.inv(A) @ B @ np.array([q11D, q21D]))


def ikm(q11, q12, q21, q22, xD, yD):
    r, t, u, v = frames(q11, q12, q21, q22)
    return tuple((u[i] @ np.array([xD, yD])) / (l * (u[i] @ t[i])) for i in range(2))


def dkm_passive(q11, q12, q21, q22, q11D, q21D, xD, yD):
    r, t, u, v = frames(q11, q12, q21, q22)
    rates = []
    for i, qD in enumerate((q11D, q21D)):
        rates.append((v[i] @ np.array([xD, yD])) / l - (v[i] @ t[i]) * qD - qD)
    return tuple(rates)


def dkm2(q11, q12, q21, q22, q11D, q12D, q21D, q22D, q11DD, q21DD):
    r, t, u, v = frames(q11, q12, q21, q22)
    given = zip((q11D, q21D), (q12D, q22D), (q11DD, q21DD))
    right = [
        l * ((u[i] @ t[i]) * aDD - (u[i] @ r[i]) * aD**2 - (aD + pD) ** 2) for i, (aD, pD, aDD) in enumerate(given)
    ]
    return tuple(np.linalg.inv(np.array(u)) @ np.array(right))


def ikm2(q11, q12, q21, q22, q11D, q12D, q21D, q22D, xDD, yDD):
    r, t, u, v = frames(q11, q12, q21, q22)
    rates = zip((q11D, q21D), (q12D, q22D))
    return tuple(
        (u[i] @ np.array([xDD, yDD]) / l + (u[i] @ r[i]) * aD**2 + (aD + pD) ** 2) / (u[i] @ t[i])
        for i, (aD, pD) in enumerate(rates)
    )


def dkm2_passive(q11, q12, q21, q22, q11D, q12D, q21D, q22D, q11DD, q21DD, xDD, yDD):
    r, t, u, v = frames(q11, q12, q21, q22)
    given = zip((q11D, q21D), (q11DD, q21DD))
    return tuple(
        v[i] @ np.array([xDD, yDD]) / l - (v[i] @ t[i]) * aDD + (v[i] @ r[i]) * aD**2 - aDD
        for i, (aD, aDD) in enumerate(given)
    )


def dynamic_model(q11, q12, q21, q22, q11D, q12D, q21D, q22D):
    J = np.array([dkm(q11, q12, q21, q22, 1.0, 0.0), dkm(q11, q12, q21, q22, 0.0, 1.0)]).T
    b = np.array(dkm2(q11, q12, q21, q22, q11D, q12D, q21D, q22D, 0.0, 0.0))
    return np.diag([ZZ1R, ZZ2R]) + mR * J.T @ J, mR * J.T @ b
"""

# A closed loop that Ctrl-C ends, after which figures are shown: how groups write their control
CONTROL = """
from lab_amoro.parallel_robot import *
from lab_amoro.plot_tools import *
from biglide_models import *
import sys
import matplotlib.pyplot as plt

Kp, Kd = 100, 20


def s(t, tf):
    return 10 * (t / tf) ** 3 - 15 * (t / tf) ** 4 + 6 * (t / tf) ** 5


def main(args=None):
    rclpy.init(args=args)
    robot = Robot("biglide")
    start_robot(robot)
    app = QtGui.QApplication([])
    scope_joint1 = Scope("Joint 1", -0.5, 1.5)
    scope_joint2 = Scope("Joint 2", -1.5, 1.5)
    x0, y0 = dgm(robot.active_left_joint.position, robot.active_right_joint.position, -1)
    t = np.arange(0, 2.001, 0.01)
    path = np.array([igm(x0 + 0.06 * s(k, 2.0), y0 + 0.1 * s(k, 2.0), -1, -1) for k in t])
    speed = np.gradient(path, 0.01, axis=0)
    acceleration = np.gradient(speed, 0.01, axis=0)
    index, errors = 0, []
    try:
        robot.apply_efforts(0.0, 0.0)
        while True:
            if robot.data_updated():
                q = np.array([robot.active_left_joint.position, robot.active_right_joint.position])
                qD = np.array([robot.active_left_joint.velocity, robot.active_right_joint.velocity])
                q12, q22 = dgm_passive(*q, -1)
                xD, yD = dkm(q[0], q12, q[1], q22, *qD)
                q12D, q22D = dkm_passive(q[0], q12, q[1], q22, *qD, xD, yD)
                M, c = dynamic_model(q[0], q12, q[1], q22, qD[0], q12D, qD[1], q22D)
                tau = M @ (acceleration[index] + Kd * (speed[index] - qD) + Kp * (path[index] - q)) + c
                robot.apply_efforts(tau[0], tau[1])
                scope_joint1.update(robot.get_time(), path[index, 0], q[0])
                scope_joint2.update(robot.get_time(), path[index, 1], q[1])
                errors.append(path[index] - q)
                if index < len(path) - 1:
                    index += 1
    except KeyboardInterrupt:
        print("largest error", np.abs(errors).max())
        plt.figure()
        plt.plot(errors)
        plt.title("Error of the joints")
        plt.show()
    finally:
        plt.close("all")
        rclpy.shutdown()


if __name__ == "__main__":
    main(sys.argv)
"""

MODELS = {
    "biglide": ("biglide_models.py", BIGLIDE_MODELS, "biglide"),
    "five_bar": ("five_bar_models.py", FIVE_BAR_MODELS, "fivebar"),
}


def group(folder: Path, robot: str) -> Path:
    """The folder of a group that has written right models."""
    name, text, kind = MODELS[robot]
    skeletons.create(kind, folder)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def written(folder: Path, text: str, name: str = "script.py") -> Path:
    """A script in a folder."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path
