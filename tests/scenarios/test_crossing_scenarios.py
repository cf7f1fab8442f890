"""The shipped crossings: the errors they promise, and those of the trajectories that break the criterion."""

import numpy as np
import pytest

from closedchain import scenarios
from closedchain.describe.files import BadFile


@pytest.mark.parametrize("name", ["biglide-crossing", "fivebar-crossing"])
def test_a_crossing_with_a_payload_five_per_cent_too_heavy_keeps_within_a_millimetre(name):
    """And ends in the other assembly mode."""
    run = scenarios.run(name)
    assert run.finished
    assert run.summary["max_error"] < 1e-3
    det = np.linalg.det(run.model.call("closures", q=run.q[[0, -1]], x=run.x[[0, -1]])["A"])
    assert det[0] * det[1] < 0


@pytest.mark.parametrize("name", ["biglide-crossing-violating", "biglide-crossing-document"])
def test_breaking_the_criterion_takes_all_the_effort_there_is(name):
    """Clipped at 100 N, where the planned crossing needs 0.95."""
    assert scenarios.run(name).summary["max_effort"] == 100.0


def test_the_documents_trajectory_ends_where_it_did():
    """TRUTH.md §3.4, last row: 1.8 mm of final error when clipped at 100 N."""
    assert scenarios.run("biglide-crossing-document").summary["final_error"] == pytest.approx(1.8e-3, abs=1e-4)


def test_a_crossing_needs_the_mode_that_it_starts_in():
    """One line, with its place."""
    text = scenarios.library.source("biglide-crossing").replace('working = "++"\n', "")
    with pytest.raises(BadFile, match="working"):
        scenarios.loads(text)
