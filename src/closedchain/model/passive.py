"""The loops in the passive joints and the legs' unit vectors, at a state."""

from __future__ import annotations

import numpy as np

from closedchain.arrays import Doubles
from closedchain.model.model import Model
from closedchain.model.state import State

MATRICES = (
    "A_q", "B_q", "J_q", "A_q_dot", "B_q_dot", "J_q_dot", "A_u", "B_u", "A_u_dot", "B_u_dot", "d_u",
    "A_p", "B_p", "A_p_dot", "B_p_dot", "d_p", "l_p",
)  # fmt: skip


def passive_matrices(model: Model, state: State) -> dict[str, Doubles]:
    """Every matrix of MATRICES by name, (*batch, …); none for a robot without bars whose angles are read out.

    A_q q̇_d + B_q q̇ = 0 of the loops, with q_d the legs' angles and then the plates'; A_u ẋ = B_u q̇ and
    A_p ẋ = B_p q̇ + l_p φ̇ of the legs' unit vectors, with φ the legs' directions from the x axis.
    """
    loops = model.passive_loops
    if loops is None:
        return {}
    library = model.load("passive_programs", loops.key)
    signature = library.signatures["passive"]
    given = {"q": state.q, "x": state.x, "q_dot": state.q_dot, "x_dot": state.x_dot, "p": model.p}
    made = library["passive"](*(given[a.name] for a in signature.inputs))
    found = dict(zip((a.name for a in signature.outputs), made, strict=True))
    return {name: np.asarray(found[name]) for name in MATRICES}
