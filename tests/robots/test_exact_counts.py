"""Random robots: as many real assemblies as exact algebra counts (msolve's answers are kept in tests/data)."""

import pytest

from benchmarks.assembly_counts import KNOWN, row
from benchmarks.exact_counts import RECORD, Record, trial

KEPT = {name: len(counts) for name, counts in Record(RECORD).counts.items()}


def agrees(name, seed):
    """Solve one instance and compare."""
    one = trial(name, seed, Record(RECORD))
    assert one.complete
    assert one.proven
    assert one.exact in (one.ours, None)  # None: msolve did not end, and nothing is said


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", KEPT)
def test_no_real_assembly_is_missed_or_invented(name, seed):
    """Random dimensions and drives; equations written a second time from the geometry, solved in rational numbers."""
    agrees(name, seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", KEPT)
def test_none_is_missed_or_invented_in_all_that_were_counted(name):
    """The same for every instance whose exact count is kept."""
    for seed in range(2, KEPT[name]):
        agrees(name, seed)


@pytest.mark.parametrize("name", ["wrist", "pentapod", "prs3", "rps3-skew", "ups6-3", "prism", "k33"])
def test_a_file_of_forty_lines_has_the_assemblies_known(name):
    """Counts of exact algebra and Laman numbers; the real solutions at a random pose are proven and complete."""
    assert row(name).holds


@pytest.mark.slow
@pytest.mark.parametrize("name", KNOWN)
def test_every_file_has_the_assemblies_known(name):
    """The whole table, which `python -m benchmarks.assembly_counts` prints."""
    assert row(name).holds
