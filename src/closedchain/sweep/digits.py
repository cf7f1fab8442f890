"""Numbers as text, whole arrays at once: the bytes of Python's `repr`, an order of magnitude sooner.

A double v = c 2^q is read back from any decimal closer to it than half the way to its neighbours, an interval about
(4c ± 2) 2^(q−2). Of the powers of ten take the largest, 10^−m, that is no wider than the interval. Then at most one
multiple of 10·10^−m lies in it, and that is the shortest decimal; else one of the two multiples of 10^−m beside v is,
the nearer one that lies in it (R. Giulietti, The Schubfach way to render doubles). Here 10⁻⁴ ≤ v < 2⁵², so that
m ≤ 20 and 4 c 5^m is a whole number of 102 bits: nothing is rounded. Numbers beyond go through `repr` one by one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from closedchain.arrays import Doubles

Words = NDArray[np.uint64]
Bytes = NDArray[np.uint8]

LEAST, MOST = 1e-4, 2.0**52
DIGITS = 17  # that a double needs at most
WIDTH = 24  # bytes of a number, the longest being -2.2250738585072014e-308
LOW, HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
ZERO, POINT, MINUS = b"0.-"


def _decimals(q: int, narrow: bool) -> int:
    """The m for which 10^−m ≤ 2^q < 10^(1−m), q ≤ 0; of ¾ 2^q where the number below is half as far."""
    top, m = (3 if narrow else 1), 0
    while top * 10**m < 2 ** ((2 if narrow else 0) - q):
        m += 1
    return m


DECIMALS = np.array([[_decimals(-q, narrow) for q in range(67)] for narrow in (False, True)], dtype=np.uint64)
FIVES = np.array([5**m for m in range(22)], dtype=np.uint64)
TENS = np.array([10**m for m in range(18)], dtype=np.uint64)
_FOUR = np.arange(10_000)[:, None]
_SHOWN = (_FOUR // (1000, 100, 10, 1) % 10 + ZERO).astype(np.uint8)
FULL, LEFT, RIGHT = (  # four digits as one word; without the zeros before, or after them
    np.ascontiguousarray(shown).view(np.uint32)[:, 0]
    for shown in (_SHOWN, _SHOWN * (_FOUR >= (1000, 100, 10, 0)), _SHOWN * (_FOUR % (10_000, 1000, 100, 10) != 0))
)


def shortest(values: Doubles) -> Bytes:
    """repr of each value as bytes (n, 24), with bytes 0 between that do not count; nothing for NaN."""
    size = np.abs(values)
    plain = (size >= LEAST) & (size < MOST)
    if plain.all():
        return _plain(values, size)
    text = np.empty((len(values), WIDTH), dtype=np.uint8)
    text[plain] = _plain(values[plain], size[plain])
    text[~plain] = texts(["" if v != v else repr(v) for v in values[~plain].tolist()], WIDTH)
    return text


def whole(numbers: NDArray[np.int64]) -> Bytes:
    """Whole numbers from 0 to 10¹² − 1, (n, 12)."""
    left = numbers.astype(np.uint64)
    first, second, third = left // TENS[8], left // TENS[4] % TENS[4], left % TENS[4]
    text = np.empty((len(left), 3), dtype=np.uint32)
    text[:, 0] = np.where(first > 0, LEFT[first], 0)
    text[:, 1] = np.where(first > 0, FULL[second], np.where(second > 0, LEFT[second], 0))
    text[:, 2] = np.where(left >= TENS[4], FULL[third], LEFT[third])
    return text.view(np.uint8)


def texts(words: Sequence[str], width: int | None = None) -> Bytes:
    """Any texts as rows of bytes, as wide as the longest."""
    encoded = [word.encode() for word in words]
    width = width or max(map(len, encoded), default=1) or 1
    return np.array(encoded, dtype=f"S{width}").view(np.uint8).reshape(len(words), width)


def _plain(values: Doubles, size: Doubles) -> Bytes:
    """Without an exponent: 0.d₁d₂… × 10^e written out, for each e."""
    number, m = _shortest(size)
    length = np.searchsorted(TENS, number, side="right")  # of digits
    digits = _digits(number * TENS[DIGITS - length])
    e = length - m.astype(np.int64)
    first, last = (int(e.min()), int(e.max())) if len(e) else (0, 0)
    if first == last:
        text = _placed(digits, first)
    else:
        text = np.empty((len(values), WIDTH), dtype=np.uint8)
        for each in range(first, last + 1):
            rows = np.flatnonzero(e == each)
            text[rows] = _placed(digits[rows], each)
    text[:, 0] = np.where(values < 0.0, np.uint8(MINUS), np.uint8(0))
    return text


def _placed(digits: Bytes, e: int) -> Bytes:
    """The point before or after zeros, or among the digits (n, 17), of which zeros at the end are bytes 0."""
    text = np.zeros((len(digits), WIDTH), dtype=np.uint8)
    if e > 0:
        np.maximum(digits[:, :e], ZERO, out=text[:, 1 : e + 1])
        text[:, e + 1] = POINT
        text[:, e + 2 : DIGITS + 2] = digits[:, e:]
        np.maximum(text[:, e + 2], ZERO, out=text[:, e + 2])
    else:
        text[:, 1 : 3 - e] = ZERO
        text[:, 2] = POINT
        text[:, 3 - e : DIGITS + 3 - e] = digits
    return text


def _digits(number: Words) -> Bytes:
    """The digits of numbers of 17, zeros at the end as bytes 0, (n, 17)."""
    upper, lower = number // TENS[8], number % TENS[8]
    a, b = upper // TENS[4] % TENS[4], upper % TENS[4]
    c, d = lower // TENS[4], lower % TENS[4]
    groups = np.empty((len(number), 5), dtype=np.uint32)
    groups[:, 0] = FULL[upper // TENS[8]]  # 000d
    groups[:, 1] = np.where((lower == 0) & (b == 0), RIGHT[a], FULL[a])
    groups[:, 2] = np.where(lower == 0, RIGHT[b], FULL[b])
    groups[:, 3] = np.where(d == 0, RIGHT[c], FULL[c])
    groups[:, 4] = RIGHT[d]
    return groups.view(np.uint8)[:, 3:]


def _shortest(size: Doubles) -> tuple[Words, Words]:
    """Whole numbers d, and m, with d 10^−m the shortest decimal."""
    bits = size.view(np.uint64)
    fraction = bits & np.uint64((1 << 52) - 1)
    c = fraction | np.uint64(1 << 52)
    minus_q = np.uint64(1075) - (bits >> np.uint64(52))
    narrow = fraction == 0  # a power of two: the number below is half as far
    m = DECIMALS[narrow.astype(np.intp), minus_q]
    five, shift = FIVES[m], minus_q - m
    high, low = _product(c << np.uint64(2), five)
    middle = _shifted(high, low, shift)  # of quarters, made odd where it is not exact
    under = low - (five << (~narrow).astype(np.uint64))
    left = _shifted(high - (under > low), under, shift)
    over = low + (five << np.uint64(1))
    right = _shifted(high + (over < low), over, shift)
    return _chosen(middle, left + (c & np.uint64(1)), right - (c & np.uint64(1))), m


def _chosen(middle: Words, left: Words, right: Words) -> Words:
    """The multiple of ten within left … right (in quarters), or else the nearer whole number within."""
    one, two, ten = np.uint64(1), np.uint64(2), np.uint64(10)
    s = middle >> two
    tens = s // ten * ten
    below, above = left <= tens << two, (tens + ten) << two <= right
    up = (s + one) << two <= right
    down = left <= s << two
    nearer = middle - (s << two)  # quarters beyond s: 2 is the middle, and then the even one
    rounded = np.where(down != up, up, (nearer > two) | ((nearer == two) & ((s & one) == one)))
    return np.where(below != above, tens + ten * above, s + rounded)


def _product(a: Words, b: Words) -> tuple[Words, Words]:
    """a b in two words; b has less than 48 bits, a less than 56."""
    a1, a0, b1, b0 = a >> HALF, a & LOW, b >> HALF, b & LOW
    cross = a1 * b0 + (a0 * b0 >> HALF)  # below 2⁵⁶ + 2³²
    rest = a0 * b1  # below 2⁴⁸
    carried = (cross & LOW) + (rest & LOW)
    return a1 * b1 + (cross >> HALF) + (rest >> HALF) + (carried >> HALF), a * b


def _shifted(high: Words, low: Words, shift: Words) -> Words:
    """Both words by so many bits to the right, the last bit set where a bit was lost."""
    whole = (high << (np.uint64(63) - shift) << np.uint64(1)) | (low >> shift)
    lost = low & ((np.uint64(1) << shift) - np.uint64(1))
    return whole | (lost != 0)
