"""Platforms that are singular wherever they stand are named."""

from __future__ import annotations

import numpy as np
import pytest

import closedchain as cc
from closedchain.model.architecture import architecture
from closedchain.model.sampling import Unassemblable
from closedchain.verify.laws import check


def similar(turn: float) -> dict[str, float]:
    """Two similar regular hexagons; a leg joins a corner to the one `turn` further on."""
    angles = np.deg2rad(60.0 * np.arange(6))
    base = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=-1)
    joints = 0.6 * np.roll(base, -int(turn), axis=0)
    rows = {"b": base, "p": joints}
    return {f"{k}{i + 1}{a}": row[i, j] for k, row in rows.items() for i in range(6) for j, a in enumerate("xyz")}


@pytest.mark.parametrize("turn", [0, 1, 3])
def test_similar_hexagons_are_singular_everywhere(turn):
    """Joints of one conic each, corresponding: the six lines depend on one another at every pose."""
    model = cc.load("gough").with_values(**similar(turn))
    found = architecture(model)
    assert found is not None
    assert found.singular
    assert (found.rank, found.full) == (5, 6)
    with pytest.raises(Unassemblable, match="architecturally singular, A has rank 5 of 6"):
        check(model, states=20)


@pytest.mark.parametrize("name", ["gough", "gough:dietmaier", "gough:semi-regular", "hexa", "rps3", "wrist"])
def test_shipped_platforms_are_not(name):
    """They have their full rank somewhere."""
    found = architecture(cc.load(name))
    assert found is not None
    assert not found.singular


def test_what_has_no_modes_has_no_architecture():
    """A linkage, or a robot without closures, is not asked."""
    assert architecture(cc.load("nfourbar:2")) is None
    assert architecture(cc.load("furuta")) is None
