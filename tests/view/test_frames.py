"""Numbers packed for a page come back as they were."""

import base64

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from closedchain.errors import BadInput
from closedchain.view.frames import BITS, decode, encode, pack


def read_as_the_page_does(code: str, columns: int, frames: int) -> np.ndarray:
    """Unpack with the page's plain loop, byte by byte: the format's definition, written a second time."""
    data, at, table = base64.b64decode(code), 0, np.zeros((frames, columns), np.int64)
    for column in range(columns):
        value = change = 0
        for frame in range(frames):
            unsigned, shift = 0, 0
            while True:
                byte = data[at]
                at += 1
                unsigned |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
            change += -((unsigned + 1) // 2) if unsigned & 1 else unsigned // 2
            value += change
            table[frame, column] = value
    assert at == len(data)
    return table


def test_a_ramp_is_four_bytes_known_by_hand() -> None:
    """0, 1, 2, 3 has second differences 0, 1, 0, 0, whose zigzag codes are 0, 2, 0, 0."""
    assert base64.b64decode(encode(np.array([[0], [1], [2], [3]]))) == bytes([0, 2, 0, 0])


def test_a_large_jump_takes_two_bytes_known_by_hand() -> None:
    """−100 has the zigzag code 199 = 0b1_1000111: low seven bits with the mark, then one."""
    assert base64.b64decode(encode(np.array([[-100]]))) == bytes([0xC7, 0x01])


@given(arrays(np.int64, st.tuples(st.integers(1, 30), st.integers(1, 5)), elements=st.integers(-(2**22), 2**22)))
def test_whole_numbers_come_back_exactly(table: np.ndarray) -> None:
    """Both readers, vectorised and byte by byte, give what was packed."""
    code = encode(table)
    np.testing.assert_array_equal(decode(code, table.shape[1]), table)
    np.testing.assert_array_equal(read_as_the_page_does(code, table.shape[1], len(table)), table)


@given(arrays(np.float64, (17, 3), elements=st.floats(-1e6, 1e6)))
def test_numbers_come_back_to_half_a_step_of_their_span(columns: np.ndarray) -> None:
    """Rounding to 2⁻²² of the span leaves at most half of that, and a few roundings of doubles."""
    packed = pack(columns)
    back = packed.low + packed.step * decode(packed.code, 3)
    limit = np.ptp(columns, axis=0) * 2.0**-BITS / 2 + 4 * np.finfo(float).eps * np.abs(columns).max(axis=0)
    assert (np.abs(back - columns) <= limit).all()


def test_a_smooth_column_takes_about_a_byte_a_number() -> None:
    """A sine of 2000 samples: its second differences are at most 2²¹ (2π/2000)² = 21 steps, below a byte's 64."""
    t = np.linspace(0, 2 * np.pi, 2000)
    assert len(base64.b64decode(pack(np.sin(t)[:, None]).code)) < 2000 + 8


def test_a_difference_beyond_the_format_is_refused() -> None:
    """The page reads 32-bit numbers; more is an error, not another number."""
    with pytest.raises(BadInput, match="2\\^30"):
        encode(np.array([[2**31]]))
