"""Messages: one list for both sides, checked field by field, and frames that a browser can lay arrays over."""

import contextlib
import json
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closedchain.studio.checking import BadMessage, check, identify, parse
from closedchain.studio.frames import addressed, encode, meta_of
from closedchain.studio.messages import LOOSE, OPERATIONS
from closedchain.studio.tables import HOMES
from closedchain.studio.typescript import typescript, written

WEB = Path(__file__).parents[2] / "web" / "src" / "messages.ts"
ROBOT = {"source": "biglide"}


def test_the_web_side_has_the_messages_of_this_side():
    """web/src/messages.ts is what `python -m closedchain.studio.messages` prints."""
    assert WEB.read_text(encoding="utf-8") == typescript(OPERATIONS, LOOSE)


def test_every_operation_has_a_home():
    """Whatever is not answered by the server itself is a function of an operations file."""
    away = {name for name, o in OPERATIONS.items() if o.where != "server"}
    assert away | {"hello"} == set(HOMES) - {"javascript"}


def test_no_answer_has_a_field_of_the_envelope():
    """id, ok and error say whether there is an answer."""
    for operation in OPERATIONS.values():
        assert not {"id", "ok", "error", "progress"} & set(operation.answer.__dataclass_fields__)


@pytest.mark.parametrize(
    ("hint", "text"),
    [
        (list[float | None], "(number | null)[]"),
        (dict[str, list[str]], "Record<string, string[]>"),
        (str | dict[str, float], "string | Record<string, number>"),
    ],
)
def test_types_are_written_as_typescript_has_them(hint, text):
    """Nullable elements need brackets."""
    assert written(hint) == text


def test_a_request_gets_its_defaults():
    """What is left out is filled in, nested objects too."""
    made = check(OPERATIONS["solve"].request, {"id": 3, "op": "solve", "robot": ROBOT, "x": [0, 1]})
    assert made == {
        "robot": {"source": "biglide", "toml": None, "values": {}},
        "x": [0.0, 1.0],
        "q": None,
        "near": None,
    }


@pytest.mark.parametrize(
    ("op", "fields", "where"),
    [
        ("solve", {"robot": ROBOT, "x": [0, "1"]}, "x[1]"),
        ("solve", {"robot": ROBOT, "x": [0, True]}, "x[1]"),
        ("solve", {"robot": ROBOT, "x": [1e999]}, "x[0]"),
        ("solve", {"robot": ROBOT, "x": [10**400]}, "x[0]"),
        ("solve", {"robot": ROBOT, "x": [0.0] * 6000}, "x"),
        ("solve", {"robot": "biglide"}, "robot"),
        ("solve", {"robot": {"source": 3}}, "robot.source"),
        ("solve", {"robot": {"values": {"l": None}}}, "robot.values.l"),
        ("solve", {"x": [0, 0]}, "robot"),
        ("solve", {"robot": ROBOT, "extra": 1}, "extra"),
        ("map", {"robot": ROBOT, "quantity": "heat", "working": "++"}, "quantity"),
        ("map", {"robot": ROBOT, "quantity": "det_A", "working": "++", "shape": [1.5, 2]}, "shape[0]"),
        ("grade", {"name": "a.py", "text": "", "confirmed": 1}, "confirmed"),
        ("define", {"toml": "a\0b"}, "toml"),
        ("simulate", {"scenario": 3}, "scenario"),
    ],
)
def test_a_wrong_field_is_named(op, fields, where):
    """One error that says which field."""
    with pytest.raises(BadMessage) as caught:
        check(OPERATIONS[op].request, fields)
    assert caught.value.where == where


NO_OBJECTS = ("", "[]", "3", "nul", '{"id": NaN}', "[" * 50_000, '{"id": 1', "\ud800", '{"id": 1, "op": "\\ud800"}')


@pytest.mark.parametrize("text", NO_OBJECTS)
def test_what_is_not_an_object_is_refused(text):
    """Also constants that JSON does not have, lists nested too deep for the parser, and halves of characters."""
    with pytest.raises(BadMessage):
        identify(parse(text))


@pytest.mark.parametrize("number", [None, True, -1, 1.5, "1", 2**31])
def test_an_id_is_a_small_whole_number(number):
    """It goes into four bytes of a frame."""
    with pytest.raises(BadMessage):
        identify({"id": number, "op": "solve"})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=200)
@given(op=st.sampled_from(sorted(OPERATIONS)), data=st.data())
def test_no_fields_whatever_break_the_check(op, data):
    """A request passes whole or is refused with BadMessage; nothing else is raised."""
    names = sorted(OPERATIONS[op].request.__dataclass_fields__)
    fields = data.draw(st.dictionaries(st.sampled_from([*names, "other"]), json_values, max_size=6))
    try:
        made = check(OPERATIONS[op].request, fields)
    except BadMessage:
        return
    assert set(made) == set(names)
    json.dumps(made, allow_nan=False)


@settings(max_examples=600)
@given(st.text() | st.binary())
def test_no_text_whatever_breaks_the_parser(text):
    """It is an object or it is refused."""
    with contextlib.suppress(BadMessage):
        assert isinstance(parse(text), dict)


@settings(max_examples=200)
@given(words=st.text(max_size=40), rows=st.integers(0, 5), columns=st.integers(0, 5))
def test_arrays_of_a_frame_lie_at_multiples_of_eight(words, rows, columns):
    """As typed arrays need it, whatever the header's length; read back by hand they are the same."""
    first = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
    second = np.linspace(0, 1, 7)
    frame = addressed(encode({"a": first, "b": second}, {"words": words}), 77)
    magic, number, length = struct.unpack_from("<4sII", frame)
    assert (magic, number, (12 + length) % 8) == (b"CCB1", 77, 0)
    header = json.loads(frame[12 : 12 + length])
    data = frame[12 + length :]
    for row, array in zip(header["arrays"], (first, second), strict=True):
        assert row["offset"] % 8 == 0
        found = np.frombuffer(data, "<" + row["dtype"], array.size, row["offset"]).reshape(row["shape"])
        np.testing.assert_array_equal(found, array)
    assert meta_of(frame) == {"words": words}
