"""Broken files: each gives one line that names the file, the line, the place, the cause and what to do."""

import json
import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closedchain.describe.files import MAX_BYTES, BadFile, loads, read
from tests.describe.robots_here import GLIDE, PENDULUM, changed

FIRST_BAR = 'between = ["A1", "C"]\nlength = "l"'
Q1 = 'slider = { at = ["-d/2", 0], along = [0, 1] }'
L = 'l = { value = 0.36, unit = "m" }'
C = "C = { free = true, mass = 3.0 }"
END = 'between = ["A2", "C"]\nlength = "l"\n'

# what to replace, by what (the faulty line is marked #!), the place that is named, words of the message;
# "shape" where the schema must refuse it too: the structure is wrong, not a value
BROKEN = {
    "unknown name": ('length = "l"', 'length = "ll" #!', "bars[0].length", "unknown name 'll'; did you mean 'l'", ""),
    "missing length": ('C"]\nlength = "l"', 'C"]', "bars[0].length", "is missing; add length", "shape"),
    "zero length": ('length = "l"', "length = 0 #!", "bars[0].length", "= 0, but it must be positive", ""),
    "negative length": ('length = "l"', 'length = "-l" #!', "bars[0].length", "= -0.36, but it must be positive", ""),
    "negative mass": ("mass = 3.0 }", "mass = -3.0 } #!", "points.C.mass", "= -3, but a mass", ""),
    "negative bar mass": (FIRST_BAR, FIRST_BAR + "\nmass = -1 #!", "bars[0].mass", "= -1, but a mass", ""),
    "nan": ("d = 0.4", "d = nan #!", "parameters.d", "not a finite number", ""),
    "inf": ("mass = 3.0 }", "mass = inf } #!", "points.C.mass", "not a finite number", ""),
    "overflow": ("d = 0.4", 'd = "1e308*10" #!', "parameters.d", "is not a finite number", ""),
    "1/0": ("d = 0.4", 'd = "1/0" #!', "parameters.d", "1/0 is not a finite number", ""),
    "tower": ("d = 0.4", 'd = "9**9**9**9" #!', "parameters.d", "is not a finite number", ""),
    "circle": ("d = 0.4", 'd = "e" #!\ne = "d"', "parameters.d", "in a circle", ""),
    "own circle": ("d = 0.4", 'd = "d + 1" #!', "parameters.d", "in a circle: d -> d", ""),
    "import": ("d = 0.4", "d = \"__import__('os')\" #!", "parameters.d", "not allowed", "shape"),
    "dunder name": ("d = 0.4", 'd = "__builtins__" #!', "parameters.d", "unknown name '__builtins__'", ""),
    "attribute": ('length = "l"', 'length = "l.real" #!', "bars[0].length", "not allowed", ""),
    "million digits": ("d = 0.4", "d = " + "1" * 1000 + "\ne = " + "1" * 9_000 + " #!", "", "digits", ""),
    "long line": ("d = 0.4", "d = " + "1" * 900_000 + " #!", "", "a line of 9000", ""),
    "long number in a formula": ("d = 0.4", f'd = "{"1" * 1900}" #!', "parameters.d", "1900 digits; at most 40", ""),
    "long formula": ("d = 0.4", f'd = "{"l+" * 1500}1" #!', "parameters.d", "3001 characters; at most 2000", ""),
    "huge integer": ("d = 0.4", "d = 1" + "0" * 400 + " #!", "parameters.d", "not a finite number", ""),
    "same key twice": ("d = 0.4", "d = 0.4\nd = 0.5 #!", "", "the same key is given twice", ""),
    "same table twice": ("[[bars]]", "[points] #!\n[[bars]]", "", "the same table is given twice", ""),
    "unknown key": ('length = "l"', 'lenght = "l" #!', "bars[0].lenght", "did you mean 'length'?", "shape"),
    "unknown top key": ("[points]", "[point] #!", "point", "did you mean 'points'?", "shape"),
    "wild key": ('length = "l"', '"a\\nb" = 1 #!\nlength = "l"', "bars[0].'a\\nb'", "unknown key; there are", "shape"),
    "boolean": ('length = "l"', "length = true #!", "bars[0].length", "not true or false", "shape"),
    "date": ('length = "l"', "length = 2020-01-01 #!", "bars[0].length", "not a date", "shape"),
    "list": ('length = "l"', "length = [1] #!", "bars[0].length", "not a list", "shape"),
    "table": ("d = 0.4", "d = { unit = 'm' } #!", "parameters.d.value", "is missing", "shape"),
    "text for a table": (C, 'C = "free" #!', "points.C", "a table is needed", "shape"),
    "table for a list": ('output = "C"', 'output = "C"\npins = { name = "p" } #!', "pins", "write [[pins]]", "shape"),
    "number for a text": ('name = "glide"', "name = 3 #!", "name", "a text in quotes is needed", "shape"),
    "bad name": ('name = "glide"', 'name = "my glide" #!', "name", "cannot be a name", "shape"),
    "no name": ('name = "glide"\n', "", "name", "is missing", "shape"),
    "other schema": ("mechanism/1", "mechanism/9", "schema", 'write "closedchain.mechanism/1"', "shape"),
    "one number": ('["-d/2", 0]', '["-d/2"]', "drives.q1.slider.at", "a vector of 1 numbers", "shape"),
    "three numbers": ('["-d/2", 0]', '["-d/2", 0, 0]', "drives.q1.slider.at", "3 numbers where 2 are needed", ""),
    "3-D gravity": ('output = "C"', 'output = "C"\ngravity = [0, 0, -9.81] #!', "gravity", "where 2 are needed", ""),
    "long direction": (
        Q1,
        Q1.replace("[0, 1]", "[1, 1]") + " #!",
        "drives.q1.slider.along",
        "length 1.41421; divide",
        "",
    ),
    "zero direction": (Q1, Q1.replace("[0, 1]", "[0, 0]") + " #!", "drives.q1.slider.along", "length 0; divide", ""),
    "unknown unit": (
        L,
        L.replace('"m"', '"mn"') + " #!",
        "parameters.l.unit",
        "unknown unit 'mn'; did you mean",
        "shape",
    ),
    "formula in mm": (L, 'l = { value = "d", unit = "mm" } #!', "parameters.l.unit", "a formula is in SI", ""),
    "reserved name": ("d = 0.4", "d = 0.4\nsin = 1 #!", "parameters.sin", "already means something", ""),
    "keyword": ("d = 0.4", "d = 0.4\nlambda = 1 #!", "parameters.lambda", "already means something", ""),
    "wild name": ("d = 0.4", 'd = 0.4\n"µ" = 1 #!', "parameters.'µ'", "cannot be a name", "shape"),
    "parameter like a coordinate": ("d = 0.4", "d = 0.4\nx = 1 #!", "parameters.x", "a coordinate and a parameter", ""),
    "parameter like a drive": ("d = 0.4", "d = 0.4\nq1 = 1", "drives.q1", "a coordinate and a parameter", ""),
    "drive like a coordinate": ("[drives.q1]", "[drives.x] #!", "drives.x", "two coordinates have this name", ""),
    "under-constrained": (
        '\n[[bars]]\nbetween = ["A2", "C"]\nlength = "l"\n',
        "",
        "bars",
        "under-constrained: 1 clos",
        "",
    ),
    "over-constrained": (END, END + '[[bars]]\nname="3"\n' + END, "bars", "over-constrained: 3 closures hold 2", ""),
    "no output": ('output = "C"\n', "", "output", "is missing", "shape"),
    "unknown output": ('output = "C"', 'output = "D" #!', "output", "no free point or plate or body 'D'", ""),
    "output on a drive": ('output = "C"', 'output = "A1" #!', "output", "no free point or plate or body 'A1'", ""),
    "unknown point": ('["A1", "C"]', '["A1", "CC"] #!', "bars[0].between[1]", "no point 'CC'; did you mean 'C'", ""),
    "one end": ('["A2", "C"]', '["A2"] #!', "bars[1].between", "two points are needed, found 1", "shape"),
    "three ends": ('["A2", "C"]', '["A2", "C", "C"] #!', "bars[1].between", "two points are needed, found 3", "shape"),
    "bar to itself": ('["A1", "C"]', '["C", "C"]', "bars[0]", "goes from C to itself", ""),
    "bar on the ground": (
        FIRST_BAR,
        'between = ["O", "P"]\nlength = 1',
        "bars[0]",
        "O and P are both held by the ground",
        "",
    ),
    "bar between drives": ('["A1", "C"]', '["A1", "A2"]', "bars[0]", "joins no free point and no plate", ""),
    "drive without kind": (
        Q1,
        "mass = 1",
        "drives.q1",
        "exactly one of slider, crank, telescope, joint is needed",
        "shape",
    ),
    "drive of two kinds": (
        Q1,
        Q1 + "\ncrank = { about = [0, 0], radius = 1 }",
        "drives.q1",
        "found both slider and crank",
        "shape",
    ),
    "slider without line": (Q1, "slider = { at = [0, 0] } #!", "drives.q1.slider.along", "is missing", "shape"),
    "zero radius": (Q1, "crank = { about = [0, 0], radius = 0 } #!", "drives.q1.crank.radius", "must be positive", ""),
    "skew plane": (
        Q1,
        "crank = { about = [0, 0], radius = 1, plane = [[1, 0], [1, 0]] } #!",
        "drives.q1.crank.plane",
        "not perpendicular",
        "",
    ),
    "half a plane": (
        Q1,
        "crank = { about = [0, 0], radius = 1, plane = [[1, 0]] } #!",
        "drives.q1.crank.plane",
        "two directions are needed",
        "shape",
    ),
    "crank about nothing": (
        Q1,
        'crank = { about = "O9", radius = 1 } #!',
        "drives.q1.crank.about",
        "no fixed point 'O9'; did you mean 'O'?",
        "",
    ),
    "telescope to itself": (
        END,
        END + '[drives.q3] #!\ntelescope = { base = "C", tip = "C" }',
        "drives.q3",
        "goes from C to itself",
        "",
    ),
    "telescope to nothing": (
        Q1 + '\npoint = "A1"',
        'telescope = { base = "C", tip = "Z" } #!',
        "drives.q1.telescope.tip",
        "no point 'Z'",
        "",
    ),
    "telescope with a point": (
        Q1,
        'telescope = { base = "O", tip = "C" }',
        "drives.q1.point",
        "unknown key",
        "shape",
    ),
    "point of no kind": (C, "C = { mass = 3.0 } #!", "points.C", "exactly one of fixed, free, on", "shape"),
    "point of two kinds": (
        C,
        "C = { free = true, fixed = [0, 0] } #!",
        "points.C",
        "found both fixed and free",
        "shape",
    ),
    "not free": (C, "C = { free = false } #!", "points.C.free", "write free = true", "shape"),
    "four dimensions": (
        C,
        "C = { free = true, dimension = 4 } #!",
        "points.C.dimension",
        "is 2 (the plane) or 3",
        "shape",
    ),
    "space": (C, "C = { free = true, dimension = 3 }", "drives.q1.slider.at", "2 numbers where 3 are needed", ""),
    "carried by nothing": (
        C,
        C + '\nE = { on = "Z", at = [0, 0] } #!',
        "points.E.on",
        "no free point or plate 'Z'",
        "",
    ),
    "name taken": ("[points]", "[points]\nA1 = { fixed = [0, 0] }", "drives.q1.point", "is taken by points.A1", ""),
    "name taken by a plate": ("[points]", "[plates.C]\nmass = 1\n[points]", "plates.C", "is taken by points.C", ""),
    "same bar twice": ('["A2", "C"]', '["A1", "C"]', "bars[1]", "two closures have this name", ""),
    "idle point": (C, C + "\nZ = { fixed = [0, 0] } #!", "points.Z", "nothing is attached to it", ""),
    "idle plate": ("[points]", "[plates.P]\nmass = 1\n[points]", "plates.P", "nothing is attached to it", ""),
    "motor on nothing": (
        END,
        END + '[[motors]]\ndrive = "q9"\nresistance = 1\nkt = 1\nkv = 1',
        "motors[0]",
        "no such drive; there are q1, q2",
        "",
    ),
    "motor without numbers": (END, END + '[[motors]] #!\ndrive = "q1"', "motors[0].resistance", "is missing", "shape"),
    "two motors": (
        END,
        END + 2 * '[[motors]]\ndrive = "q1"\nresistance = 1\nkt = 1\nkv = 1\n',
        "motors[1]",
        "two motors; keep one",
        "",
    ),
    "no resistance": (
        END,
        END + '[[motors]]\ndrive = "q1"\nkt = 1\nkv = 1\nresistance = 0 #!',
        "motors[0].resistance",
        "must be positive",
        "",
    ),
    "spring on nothing": (
        END,
        END + "[[springs]]\nstiffness = 1",
        "springs[0]",
        "exactly one of between, drive",
        "shape",
    ),
    "limp spring": (
        END,
        END + '[[springs]]\ndrive = "q1"\nstiffness = 1\n[[springs]]\ndrive = "q2"\nstiffness = -1 #!',
        "springs[1].stiffness",
        "= -1, but it must not be negative",
        "",
    ),
    "damper on an unknown drive": (
        END,
        END + '[[dampers]]\ndrive = "q9" #!\ndamping = 1',
        "dampers[0].drive",
        "no drive 'q9'; there are: q1, q2",
        "",
    ),
    "pushing damper": (
        END,
        END + '[[dampers]]\nbetween = ["A1", "A2"]\ndamping = -1 #!',
        "dampers[0].damping",
        "must not be negative",
        "",
    ),
    "angle from a slider": (
        END,
        END + '[[readouts]]\nname = "phi"\nangle = ["A1", "C"]\nrelative_to = "q1" #!',
        "readouts[0].relative_to",
        "q1 is no crank",
        "",
    ),
    "angle of a point": (
        END,
        END + '[[readouts]]\nname = "phi"\nangle = ["C", "C"]',
        "readouts[0]",
        "goes from C to itself",
        "",
    ),
    "readout like a drive": (
        END,
        END + '[[readouts]]\nname = "q1"\nangle = ["A1", "C"]',
        "readouts[0]",
        "two coordinates have this name",
        "",
    ),
    "preset of nothing": (
        END,
        END + "[presets.lab]\nll = 1 #!",
        "presets.lab.ll",
        "unknown parameter 'll'; did you",
        "",
    ),
    "preset with text": (
        END,
        END + '[presets.lab]\nl = "d" #!',
        "presets.lab.l",
        "is not a number with an optional unit",
        "shape",
    ),
    "preset with no length": (
        END,
        END + "[presets.lab] #!\nl = 0",
        "presets.lab",
        "with these values bars[0].length: = 0",
        "",
    ),
    "wild preset": (END, END + '[presets."a b"] #!\nl = 1', "presets.'a b'", "a preset's name", "shape"),
    "no value": ("d = 0.4", "d = #!", "", "not TOML: invalid value", ""),
    "no quotes": ("d = 0.4", "d = l/2 #!", "", "a text in quotes", ""),
    "no equals": ("d = 0.4", "d 0.4 #!", "", "write key = value", ""),
    "open string": ('name = "glide"', 'name = "glide #!', "", "not TOML", ""),
    "both worlds": (END, END + '[equations]\nkinetic = "0"', "output", "does not go with [equations]", "shape"),
}

NO_EQUATIONS = {
    "no coordinates": ('q = { th = "rad" }\n', "", "equations.q", "at least one coordinate", "shape"),
    "coordinate in degrees": ('"rad"', '"deg"', "equations.q.th", 'write "m" or "rad"', "shape"),
    "no kinetic": ('kinetic = "m*L**2*th_dot**2/2"\n', "", "equations.kinetic", "is missing", "shape"),
    "kinetic of an unknown": ("th_dot**2/2", "om**2/2", "equations.kinetic", "unknown name 'om'", ""),
    "linear kinetic": (
        "th_dot**2/2",
        "th_dot/2",
        "equations.kinetic",
        "doubling every rate multiplies it by 2, not 4",
        "",
    ),
    "negative kinetic": ('"m*L**2', '"-m*L**2', "equations.kinetic", "not negative", ""),
    "potential of a rate": ("cos(th)", "cos(th_dot)", "equations.potential", "uses 'th_dot'", ""),
    "drives nothing": ('["th"]', '["ht"]', "equations.driven", "'ht' is not one of q = th", ""),
    "drives twice": ('["th"]', '["th", "th"]', "equations.driven", "each named once", ""),
    "drives a list": ('["th"]', '[["th"]]', "equations.driven[0]", "a text in quotes", "shape"),
    "parameter like a rate": ("m = 1.0", "th_dot = 1\nm = 1.0", "parameters.th_dot", "rename one", ""),
    "x without closure": (
        'driven = ["th"]',
        'driven = ["th"]\nx = { y = "m" }',
        "equations.closures",
        "0 of them hold 1 coordinates",
        "",
    ),
    "line to nothing": ('[["O", "P"]]', '[["O", "Q"]]', "equations.lines", "no point 'Q'; there are: O, P", ""),
    "point of a rate": ('"L*sin(th)"', '"th_dot"', "equations.points.P", "uses 'th_dot'", ""),
    "unknown key": ("potential", "potental", "equations.potental", "did you mean 'potential'", "shape"),
    "drives of a mechanism": ("[equations]", "drives = {}\n[equations]", "parameters.drives", "is missing", "shape"),
    "bars": ("[parameters]", "bars = []\n[parameters]", "bars", "does not go with [equations]", "shape"),
    "motor on nothing": (
        "[equations]",
        '[[motors]]\ndrive = "q"\nresistance = 1\nkt = 1\nkv = 1\n[equations]',
        "motors[0]",
        "each motor needs a driven coordinate",
        "",
    ),
    "readout in mm": (
        "[equations]\n",
        '[equations]\nreadouts = [{ name = "y", unit = "mm", value = "L" }]\n',
        "equations.readouts[0].unit",
        "'mm' is not an SI unit",
        "shape",
    ),
    "twice the same readout": (
        "[equations]\n",
        '[equations]\nreadouts = [{ name = "y", value = "L" }, { name = "y", value = "L" }]\n',
        "equations.readouts[1]",
        "two readouts have this name",
        "",
    ),
}

NO_PIPES = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
GROUND = "O = { fixed = [0, 0] }\nP = { fixed = [1, 0] }\n"
NEEDS_GROUND = {"bar on the ground", "crank about nothing", "telescope with a point"}


def cases() -> list[pytest.param]:
    """Every broken file: its text, and what the one line about it must say."""
    rows = []
    for name, (old, new, place, words, shape) in BROKEN.items():
        base = changed(GLIDE, "[points]\n", f"[points]\n{GROUND}") if name in NEEDS_GROUND else GLIDE
        rows.append(pytest.param(changed(base, old, new), place, words, shape, id=name))
    for name, (old, new, place, words, shape) in NO_EQUATIONS.items():
        rows.append(pytest.param(changed(PENDULUM, old, new), place, words, shape, id=f"equations: {name}"))
    return rows


def test_the_files_that_are_broken_below_are_whole():
    """Otherwise every case would fail for the wrong reason."""
    loads(GLIDE)
    loads(PENDULUM)


@pytest.mark.parametrize("source, place, words, shape", cases())
def test_a_broken_file_gives_one_line_with_file_place_cause_and_fix(source, place, words, shape, schema):
    """`robot.toml:14: bars[1].length: unknown name 'll'; did you mean 'l'?`"""
    with pytest.raises(BadFile) as caught:
        loads(source, "robot.toml")
    error, message = caught.value, str(caught.value)
    assert message.isprintable(), "one line, nothing invisible"
    assert words in message
    assert len(message) < 400
    assert error.path == "robot.toml"
    assert error.place.startswith(place)
    assert message == ": ".join(
        part
        for part in (f"robot.toml:{error.line}" if error.line else "robot.toml", error.place, error.problem)
        if part
    )
    marked = [i for i, line in enumerate(source.split("\n"), start=1) if line.endswith("#!")]
    assert not marked or error.line == marked[0]
    assert not shape or not schema.is_valid(tomllib.loads(source))


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda p: p.write_bytes(b""), "is empty; begin with schema"),
        (lambda p: p.write_bytes(b"# only a comment\n"), "is empty; begin with schema"),
        (lambda p: p.write_bytes(b'name = "caf\xe9"\n'), "is not UTF-8 text; save it as UTF-8"),
        (lambda p: p.write_bytes(b"\x00\xff\xfe"), "is not UTF-8 text"),
        (lambda p: p.write_bytes(b"\x00"), "not TOML"),
        (lambda p: p.write_bytes(b"#" * (MAX_BYTES + 1)), "is larger than 1000000 bytes"),
        (lambda p: p.write_bytes(b"a = " + b"[\n" * 10_000), "nested too deep"),
        (lambda p: p.write_bytes(b"a" + b".a" * 400_000 + b" = 1"), "a line of"),
        (lambda p: p.write_bytes((b"[a" + b".a" * 4_900 + b"]\n") * 100), "a line with 4900 dots; at most 200"),
        (lambda p: p.write_bytes(b"[[a]]\n" * 160_000), "has 160001 lines; at most 20000"),
        (lambda p: p.mkdir(), "is a directory"),
        (lambda p: None, "cannot be read: no such file or directory"),
        pytest.param(lambda p: os.mkfifo(p), "is not an ordinary file", marks=NO_PIPES),
    ],
    ids=[
        "empty",
        "comment",
        "latin-1",
        "binary",
        "nul",
        "large",
        "deep",
        "long",
        "dots",
        "lines",
        "directory",
        "missing",
        "pipe",
    ],
)
def test_a_file_that_is_no_text_gives_one_line(make, words, tmp_path):
    """Neither a traceback nor a wait for a pipe."""
    path = tmp_path / "robot.toml"
    make(path)
    with pytest.raises(BadFile) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_path_that_cannot_be_one_gives_one_line():
    """A zero byte in a path is a ValueError of Python's; here it is a bad file."""
    with pytest.raises(BadFile, match="cannot be read"):
        read(Path("a\0b.toml"))


def test_bad_utf8_names_its_line(tmp_path):
    """Counted in the bytes before it."""
    path = tmp_path / "robot.toml"
    path.write_bytes(b'schema = "x"\n\nname = "caf\xe9"\n')
    with pytest.raises(BadFile) as caught:
        read(path)
    assert caught.value.line == 3


@given(st.text(max_size=200))
def test_any_text_is_a_robot_or_a_bad_file(source):
    """Nothing else comes out."""
    expect_bad_file(source)


keys = ["l", "name", "output", "points", "drives", "bars", "free", "fixed", "length", "between", "q1", "crank"]
values = st.recursive(
    st.one_of(st.integers(-2, 3), st.floats(), st.booleans(), st.sampled_from(["l", "C", "A1", "q1", "-d/2", ""])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(keys), inner, max_size=3)),
    max_leaves=6,
)


@given(st.integers(0, 200), values)
def test_any_value_anywhere_is_a_robot_or_a_bad_file(seed, value):
    """One right-hand side of a good file is replaced by any other value."""
    lines = GLIDE.split("\n")
    places = [i for i, line in enumerate(lines) if "=" in line]
    i = places[seed % len(places)]
    lines[i] = f"{lines[i].split('=')[0]}= {toml(value)}"
    expect_bad_file("\n".join(lines))


def toml(value: object) -> str:
    """A value in TOML, written without the package."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, bool | str):
        return json.dumps(value)
    return repr(value)


def expect_bad_file(source: str) -> None:
    """If it is not read, it is refused in one printable line."""
    message = ""
    try:
        loads(source, "robot.toml")
    except BadFile as error:
        message = str(error)
    assert not message or (message.isprintable() and message.startswith("robot.toml"))
