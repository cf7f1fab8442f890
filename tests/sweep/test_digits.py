"""Numbers as text, by arrays, are the bytes of Python's own repr."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closedchain.sweep.digits import shortest, texts, whole
from closedchain.sweep.lines import csv_lines


def said(rows):
    """The text of each row."""
    return [row.tobytes().replace(b"\0", b"").decode() for row in rows]


def edges():
    """Powers of two, where the interval is not symmetric, with their neighbours; and the ends of the fast range."""
    powers = np.concatenate([2.0 ** np.arange(-60, 120), 10.0 ** np.arange(-20, 40), [1e-4, 2.0**52, 1e16]])
    return np.concatenate([powers, np.nextafter(powers, 0.0), np.nextafter(powers, np.inf)])


rng = np.random.default_rng(20)
SETS = {
    "any size": np.exp(rng.uniform(np.log(1e-5), np.log(1e17), 20_000)),
    "between 0 and 1": rng.random(20_000),
    "few digits": rng.integers(0, 10**6, 20_000) / 10.0 ** rng.integers(0, 8, 20_000),
    "whole": rng.integers(0, 2**53, 20_000).astype(np.float64),
    "halves": rng.integers(0, 2**54, 20_000) / 2.0 ** rng.integers(1, 8, 20_000),
    "any bits": rng.integers(0, 2**64, 20_000, dtype=np.uint64).view(np.float64),
    "edges": edges(),
}


@pytest.mark.parametrize("name", SETS)
def test_text_is_that_of_repr(name):
    """Both signs; where there is no number there is no text."""
    values = np.concatenate([SETS[name], -SETS[name]])
    assert said(shortest(values)) == ["" if v != v else repr(v) for v in values.tolist()]


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=40))
@settings(max_examples=200, deadline=None)
def test_text_is_that_of_repr_for_whatever_comes(values):
    """Infinities, zeros of both signs and subnormals among others."""
    assert said(shortest(np.array(values))) == [repr(v) for v in values]


def test_whole_numbers_have_no_zeros_before():
    """Around every power of ten."""
    numbers = np.unique(np.concatenate([10 ** np.arange(12) + k for k in (-1, 0, 1)] + [[123_456_789_012]]))
    assert said(whole(numbers)) == [str(n) for n in numbers]


def test_texts_are_as_wide_as_the_longest():
    """Letters of more than one byte, and none at all."""
    assert said(texts(["ok", "", "1/κ"])) == ["ok", "", "1/κ"]


def test_a_reason_with_commas_quotes_and_other_letters_is_one_cell():
    """Over the border between two pieces, with an empty cell beside it."""
    n = 8200
    values = np.arange(n, dtype=np.float64)[:, None] / 8
    values[[3, 8195]] = np.nan
    failed = {3: 'no "leg", none', 8195: "1/κ is 0"}
    lines = b"".join(csv_lines(["a"], [], np.empty((n, 0)), values, failed)).decode().splitlines()
    assert lines[0] == "point,a,status"
    assert lines[4] == '3,,"no ""leg"", none"'
    assert lines[8196] == "8195,,1/κ is 0"
    assert lines[8197] == "8196,1024.5,ok"
    assert len(lines) == n + 1
