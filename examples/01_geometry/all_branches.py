"""All branches: working modes, assembly modes, and where they meet.

For one place of the tip the biglide's feet have four answers, the working modes. For one place of the feet the tip has
two, the assembly modes. A motion stays on its branch until two branches meet: at a Type 1 singularity two working
modes, at a Type 2 singularity the two assembly modes. This story walks along both until it gets there.
"""

import numpy as np

import closedchain as cc


def main() -> float:
    """How far to the right the tip can go before leg 1 lies flat [m]."""
    robot = cc.load("biglide")
    l, d = robot.values["l"], robot.values["d"]

    # Working modes: "+" is a foot below the tip. The same place of the tip, four places of the feet.
    four = cc.inverse(robot, x=[0.03, 0.25])
    print(four)
    for s in four:
        print(f"  working {s.working} is assembled {s.assembly}")
    assert [s.assembly for s in four] == ["+", "-", "+", "-"]

    # Type 1: carry the tip to the right on "++". Leg 1 leans over until it lies flat; beyond, it is too short.
    way = np.stack([np.linspace(0.0, 0.2, 41), np.full(41, 0.3)], axis=-1)
    path = cc.follow(robot, x=way, working="++")
    print(path.ended)
    x_end = float(np.interp(path.fraction, np.arange(41), way[:, 0]))
    print(f"  by hand: l - d/2 = {l - d / 2:.6f} m, followed to {x_end:.6f} m")

    # There the modes "++" and "-+" are one solution, named with a 0.
    print(cc.inverse(robot, x=[l - d / 2, 0.3]))

    # Type 2: pull the feet apart on "+". The bars straighten; in one line, "+" and "-" are one pose.
    pull = np.stack([np.linspace(0.0, 0.4, 41), -np.linspace(0.0, 0.4, 41)], axis=-1)
    path = cc.follow(robot, q=pull, assembly="+")
    print(path.ended)
    apart = 2 * float(np.interp(path.fraction, np.arange(41), pull[:, 0]))
    print(f"  by hand: sqrt(4 l^2 - d^2) = {np.sqrt(4 * l**2 - d**2):.6f} m, followed to {apart:.6f} m")

    # At Type 2 inverse dynamics does not exist, and says so; forward dynamics in all coordinates goes on.
    reach = np.sqrt(4 * l**2 - d**2)
    straight = cc.state(robot, q=[reach / 2, -reach / 2], x=[0.0, 0.0])
    try:
        cc.inverse_dynamics(robot, straight, [0.0, 0.0])
    except cc.ClosedChainError as refusal:
        print(refusal)
    print("accelerations there:", cc.forward_dynamics(robot, straight, [1.0, 2.0]).q_ddot)
    return x_end


if __name__ == "__main__":
    main()
