"""Linkages on the command line: checked, shown, simulated, refused where they have no answer."""

import json

import pytest


def test_check_tells_mobility_and_laws(run):
    """For people and as a document."""
    done = run("check", "nfourbar:3", "--states", "50")
    assert done.code == 0
    assert "nfourbar:3: 1 freedom here, 1 nearby" in done.out
    answer = json.loads(run("check", "nfourbar:3", "--states", "50", "--json").out)
    assert answer["ok"]
    assert answer["mobility"]["mobility"] == answer["mobility"]["grubler"] == 1
    assert answer["mobility"]["redundant"] == []


def test_show_names_coordinates_and_closures(run):
    """Nothing drives it."""
    done = run("show", "nfourbar:2")
    assert done.code == 0
    assert "B1-B2: closure" in done.out


@pytest.mark.parametrize(
    "argv",
    [
        ("solve", "direct", "cartpole", "--q", "0"),
        ("solve", "inverse", "pendulum", "--x", "1,0"),
        ("evaluate", "cartpole", "--q", "0"),
    ],
)
def test_what_a_linkage_has_not_is_one_line(run, argv):
    """Exit code 5, what it is and what to use instead."""
    done = run(*argv)
    assert done.code in (2, 5)
    assert done.err.count("\n") == 1
    assert "linkage" in done.err


def test_an_unknown_member_is_usage(run):
    """With what to write."""
    done = run("show", "nfourbar:none")
    assert done.code == 2
    assert "another whole number from 1 to 200" in done.err
