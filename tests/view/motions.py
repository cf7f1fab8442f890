"""Made-up motions: smooth, on one branch, of any robot."""

from pathlib import Path

import numpy as np

import closedchain as cc
from closedchain import robots
from closedchain.describe import Recipe
from closedchain.model.closing import close
from closedchain.model.model import Model
from closedchain.model.sampling import sample
from closedchain.view.record import Energies, Record
from tests.verify.test_vocabulary import MAKERS

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "robots").glob("*.toml"))
# What ships, the example files, and mechanisms with the rest of the vocabulary.
EVERY: dict[str, str | Path | Recipe] = {name: name for name in robots.names()}
EVERY |= {path.name: path for path in EXAMPLES} | {make.__name__: Recipe(make()) for make in MAKERS}


def ellipse(count: int = 300, duration: float = 3.0) -> tuple[Model, Record]:
    """The biglide's tip round an ellipse, a little beside its reference."""
    model = cc.load("biglide")
    t = np.linspace(0.0, duration, count)
    s = 2 * np.pi * t / duration
    x_ref = np.stack([0.1 * np.sin(s), 0.35 + 0.06 * np.cos(s)], axis=-1)
    x = x_ref - 1e-3 * np.stack([np.sin(3 * s), 2 * np.sin(2 * s)], axis=-1)
    q, q_ref = (cc.inverse(model, path).unwrap("++") for path in (x, x_ref))
    energy = Energies(np.sin(s) ** 2, 0.3 * np.cos(s), 2e-9 * np.sin(5 * s))
    tau = np.stack([5 * np.sin(s), 8 * np.cos(s)], axis=-1)
    return model, Record(t, q, x, q_ref, x_ref, tau=tau, energy=energy, closure=1e-16 * (1.5 + np.sin(7 * s)))


def near(source: str | Path | Recipe, count: int = 40) -> tuple[Model, Record]:
    """Any robot swaying about one of its configurations, with a reference beside it."""
    model = cc.load(source)
    start = sample(model, 1, seed=3).z[0]
    t = np.linspace(0.0, 2.0, count)
    sizes = np.array([1.0 if c.unit == "rad" else model.scale for c in model.equations.z])
    sway = 0.01 * sizes * np.sin(np.pi * t[:, None] + np.arange(len(start)))
    places = []
    for part in (1.0, 1.1):
        z = start + part * sway
        places.append(close(model, z)[0] if model.nx else z)
    (q, x), (q_ref, x_ref) = ((z[:, : model.nq], z[:, model.nq :]) for z in places)
    return model, Record(t, q, x, q_ref, x_ref)
