"""Counts: monodromy finds them, the trace test closes them, and a part of the solutions never passes it."""

import numpy as np
import pytest

from closedchain.solver import NotCounted, generic
from closedchain.solver import family as families
from closedchain.solver.keeping import read, written
from closedchain.solver.paths import follow


@pytest.mark.parametrize("name, count", [("circles", 2), ("prism", 24), ("k33", 16)])
def test_frames_have_their_laman_number_of_assemblies(name, count, request):
    """Over the complex numbers: 24 for the prism, 16 for K3,3 (the literature's Laman numbers), 2 for two circles."""
    for seed in (0, 1):
        found = generic(request.getfixturevalue(name), seed)
        assert found.count == count
        assert found.misfit < 1e-10


@pytest.mark.parametrize("name", ["circles", "prism", "k33"])
def test_a_part_of_the_points_has_no_linear_trace(name, request):
    """The plane's points without one of them, or half of them: their sum bends by far more than rounding."""
    space = request.getfixturevalue(name)
    rng = np.random.default_rng(3)
    family = generic(space)
    curve, D, points = families._curve(space, family.C, family.Z, rng)
    while True:  # all of the points: those whose trace is linear
        points = families._orbit(curve, D, points, rng)
        if bend(curve, D, points) < 1e-9:
            break
    for part in (points[1:], points[: max(1, len(points) // 2)]):
        assert bend(curve, D, part) > 1e-5


def bend(curve, D, points):
    """The second difference of the points' sum as the plane moves."""
    sums = [points[:, :-1].sum(axis=0)]
    for distance in (1.0, 2.0):
        moved = D.copy()
        moved[curve.shape.constants[-1]] += distance * families.PARALLEL
        sums.append(follow(curve.shape, D, moved, points, 0.3).Z[:, :-1].sum(axis=0))
    return np.abs(sums[0] - 2 * sums[1] + sums[2]).max() / np.abs(points).max()


def test_a_search_that_ends_early_is_not_a_count(k33, monkeypatch):
    """With one loop and no second round the trace stays open, and that is an error, not a number."""
    monkeypatch.setattr(families, "LOOPS", 1)
    monkeypatch.setattr(families, "ROUNDS", 1)
    with pytest.raises(NotCounted, match="there may be more"):
        generic(k33)


def test_families_go_to_bytes_and_back(prism):
    """What is kept in the cache folder is what was found."""
    family = generic(prism)
    again = read(written(family))
    assert again.count == family.count
    np.testing.assert_array_equal(again.Z, family.Z)
    np.testing.assert_array_equal(again.shape.terms, family.shape.terms)
