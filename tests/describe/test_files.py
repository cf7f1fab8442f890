"""Mechanism files: what is written reads back to the same robot, and what people type means what it says."""

import math
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closedchain import robots
from closedchain.derive.mechanics import equations
from closedchain.describe import (
    Angle,
    BadParameter,
    Bar,
    Carried,
    Crank,
    Damper,
    Fixed,
    Free,
    Mechanism,
    Motor,
    Parameter,
    Pin,
    Plate,
    Rail,
    Recipe,
    Slider,
    Spring,
    Telescope,
)
from closedchain.describe.expressions import digest, evaluate
from closedchain.describe.files import BadFile, loads, read
from closedchain.describe.writing import dumps, quoted
from closedchain.units import COMMON, PLAIN, PREFIXES, SCALED, BadQuantity, unit_of
from tests.describe.robots_here import GLIDE, PENDULUM, changed

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "robots").glob("*.toml"))


def everything() -> Recipe:
    """A mechanism that uses every element and every option once; it need not be a good robot."""
    a, k = Parameter(0.3, "m", name="a"), Parameter(2.0, name="k", about='a "quoted"\nabout')
    O, D = Fixed("O", (0, -a)), Fixed("D", (2, a))
    A = Slider("s1", at=(-a, 0), along=(0.6, -0.8), mass=k, point="A")
    B = Crank("t1", (a, 0), a, mass=1, centre=a / 3, inertia=k, plane=((0, 1), (-1, 0)), point="B")
    E = Crank("t2", (2 * a, 0), a)  # its point has the drive's name
    plate = Plate("plate", mass=k, centre=(a, -a), inertia=k)
    P, Q, R = plate.point("P", (0, 0)), plate.point("Q", (a, 0)), plate.point("R", (0, a))
    C, G = Free("C", mass=k), Free("G")
    H = Carried("H", G, (a, a / 2))
    leg = Telescope("r1", O, Q, k, a, k / 2, 2 * k, a / 2, 0.1)
    mechanism = Mechanism(
        "everything",
        drives=(B, leg, A, E),
        output=plate,
        bars=(Bar(A, P, a, mass=k, centre=a / 4, inertia=0, name="first bar"), Bar(B, C, a), Bar(E, H, k)),
        rails=(Rail(C, R, (1, 0)), Rail(G, D, (0, 1), name="rail"), Rail(R, D, (0.8, 0.6))),
        springs=(Spring((O, C), k, a, name="soft"), Spring(B, k), Spring((C, D), 1)),
        dampers=(Damper((A, C), k), Damper(leg, k / 3, name="oil")),
        motors=(Motor("t1", k, k / 4, k / 5, ratio=50, inertia=k / 6, efficiency=0.9), Motor("s1", 1, 2, 3)),
        readouts=(Angle("w1", B, C, relative_to=B), Angle("w2", O, C)),
        gravity=(0, -9.81),
        parameters=(a, k),
        about='One line.\n\nAnother \\ with "quotes" and """three""", a tab\t, and é.',
    )
    return Recipe(mechanism, {"other-one": {"a": 0.25}})


def pinned() -> Recipe:
    """A bar from a crank and a bar from the ground end in two free points that a pin holds at an offset."""
    A, C, F = Crank("t", (0, 0), 1.0, point="A"), Free("C"), Free("F")
    P = Carried("P", F, (0.5, 0))
    bars = (Bar(A, C, 1), Bar(Fixed("O", (3, 0)), F, 1))
    return Recipe(Mechanism("pinned", drives=(A,), output=F, bars=bars, pins=(Pin(C, P),)))


RECIPES = {name: robots.find(name) for name in robots.names()}
RECIPES |= {path.stem: read(path) for path in EXAMPLES}
RECIPES |= {"everything": everything(), "pinned": pinned()}
RECIPES |= {
    "stated": Recipe(replace(equations(robots.find("biglide").description), mechanism=None))
}  # with x, closures, readouts, lines


@pytest.mark.parametrize("name", RECIPES)
def test_what_is_written_reads_back_to_the_same_robot(name):
    """The same key, so the same compiled kernels; the same values, presets, units, sources and texts."""
    recipe = RECIPES[name]
    again = loads(dumps(recipe), "again")
    first, second = recipe.description, again.description
    assert type(second) is type(first)
    assert equations(second).key == equations(first).key
    assert (again.name, second.about, again.presets) == (recipe.name, first.about, recipe.presets)
    for preset in (None, *recipe.presets):
        assert again.values(preset) == recipe.values(preset)
    notes = [[(p.name, p.unit, p.source, p.about, digest([p.value])) for p in d.parameters] for d in (first, second)]
    assert notes[0] == notes[1]


@pytest.mark.parametrize("name", [n for n, r in RECIPES.items() if isinstance(r.description, Mechanism)])
def test_every_element_reads_back_with_all_its_numbers_and_names(name):
    """Element by element in the same order: the equations' key would not see a bar's name."""
    pair = RECIPES[name], loads(dumps(RECIPES[name]), "again")
    first, second = ([(place, digest([e])) for e, place in r.description.expressions()] for r in pair)
    assert first == second
    links = [
        [[e.name for e in group] for group in (m.drives, m.bars, m.pins, m.rails, m.springs, m.dampers, m.readouts)]
        for m in (r.description for r in pair)
    ]
    assert links[0] == links[1]


@pytest.mark.parametrize("name", RECIPES)
def test_the_schema_accepts_what_is_written(name, schema):
    """Every robot, every element."""
    schema.validate(tomllib.loads(dumps(RECIPES[name])))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_the_schema_accepts_the_examples_as_typed(path, schema):
    """With their units and short forms."""
    schema.validate(tomllib.loads(path.read_text("utf-8")))


@pytest.mark.parametrize(
    "word", [*SCALED, *PLAIN, *(p + "m" for p in PREFIXES), *COMMON, "", "V/(rad/s)", "g cm²", "s⁻¹"]
)
def test_the_schema_knows_the_units_that_the_reader_knows(word, schema):
    """Names, prefixes and powers stand in both, as a table here and as a pattern there."""
    unit_of(word)
    schema.evolve(schema=schema.schema["$defs"]["unit"]).validate(word)


@pytest.mark.parametrize("word", ["mn", "kdeg", "furlong", "m^", "m//s", "m s)", "km²m²²"])
def test_a_unit_that_the_schema_refuses_the_reader_refuses(word, schema):
    """The pattern may let more pass, never less."""
    if not schema.evolve(schema=schema.schema["$defs"]["unit"]).is_valid(word):
        with pytest.raises(BadQuantity):
            unit_of(word)


def test_written_values_replace_numbers_and_formulas():
    """`dumps(recipe, values)` writes the robot as it was used."""
    source = changed(GLIDE, "d = 0.4", 'd = "l + 0.04"')
    again = loads(dumps(loads(source), {"d": 0.5}))
    assert again.values() == {"l": 0.36, "d": 0.5}
    with pytest.raises(BadParameter, match="unknown parameter 'dd'"):
        dumps(loads(source), {"dd": 1.0})


def test_what_cannot_be_read_back_is_not_written():
    """A value that is no number, and a name of another alphabet that Python allows."""
    with pytest.raises(BadFile, match="not a finite number"):
        dumps(loads(GLIDE), {"d": math.nan})
    µ = Parameter(0.3, name="λ")
    A, C, O = Crank("q1", (0, 0), µ), Free("C"), Fixed("O", (1, 0))
    strange = Mechanism("strange", drives=(A,), output=C, bars=(Bar(A, C, 1), Bar(O, C, 1)))
    with pytest.raises(BadFile):
        dumps(Recipe(strange))


@given(st.text())
def test_any_text_can_be_quoted(value):
    """As an about or a source: quotes, backslashes, control characters, several lines."""
    assert tomllib.loads(f"text = {quoted(value)}")["text"] == value


def test_units_are_converted_once_at_the_edge():
    """500 mm are 0.5 m, 30 deg are π/6 rad; a preset is in the unit of its parameter."""
    source = changed(GLIDE, "d = 0.4", 'd = { value = 500, unit = "mm" }\ntilt = { value = 30, unit = "deg" }')
    recipe = loads(source + "[presets.wide]\nd = 600\ntilt = 45\nl = 0.5\n")
    assert recipe.values() == pytest.approx({"l": 0.36, "d": 0.5, "tilt": math.pi / 6}, rel=1e-15)
    assert recipe.values("wide") == pytest.approx({"l": 0.5, "d": 0.6, "tilt": math.pi / 4}, rel=1e-15)
    assert {p.name: p.unit for p in recipe.description.parameters} == {"l": "m", "d": "m", "tilt": "rad"}


def test_a_crank_may_turn_about_a_named_point():
    """The same numbers as with the point's coordinates; the point itself need not carry a bar."""
    crank = 'crank = { about = "O", radius = 0.1 }'
    named = changed(GLIDE, 'slider = { at = ["-d/2", 0], along = [0, 1] }', crank)
    named = changed(named, "[points]\n", '[points]\nO = { fixed = ["-d/2", 0] }\n')
    drive = loads(named).description.drives[0]
    assert [evaluate(e, {"d": 0.4}) for e in drive.about] == [-0.2, 0.0]


def test_a_formula_may_run_over_several_lines():
    """In triple quotes, as long kinetic energies do."""
    source = changed(PENDULUM, '"m*L**2*th_dot**2/2"', '"""\n  m*L**2\n  *th_dot**2/2\n"""')
    assert loads(source).description.key == loads(PENDULUM).description.key


def test_a_file_with_a_byte_order_mark_and_windows_lines_is_read(tmp_path):
    """As some editors save it."""
    path = tmp_path / "glide.toml"
    path.write_bytes(b"\xef\xbb\xbf" + GLIDE.replace("\n", "\r\n").encode())
    assert read(path).values() == loads(GLIDE).values()
    assert read(str(path)).origin == str(path)


def test_the_example_prr3_stands_symmetrically():
    """Gap between side and corner S√3/6 − s/√3, so each carriage is √(l² − gap²) from the middle of its side."""
    values = RECIPES["prr3"].values()
    gap = values["S"] * math.sqrt(3) / 6 - values["s"] / math.sqrt(3)
    q = math.sqrt(values["l"] ** 2 - gap**2)
    e = equations(RECIPES["prr3"].description)
    pose = {"x": 0.0, "y": 0.0, "phi": 0.0, "q1": q, "q2": q, "q3": q}
    for closure in e.closures:
        assert abs(evaluate(closure.residual, {**values, **pose})) < 1e-15  # a few roundings of squares below 1


def test_the_example_cartpole_has_the_textbook_mass_matrix():
    """M = [[m_c + m_p, m_p L/2 cos θ], [·, m_p L²/3]]: read off the kinetic energy at unit rates."""
    recipe = RECIPES["cartpole"]
    v, theta = recipe.values(), 0.4

    def kinetic(cart_dot: float, theta_dot: float) -> float:
        state = {"cart": 0.0, "theta": theta, "cart_dot": cart_dot, "theta_dot": theta_dot}
        return evaluate(recipe.description.kinetic, {**v, **state})

    cross = kinetic(1, 1) - kinetic(1, 0) - kinetic(0, 1)
    found = [2 * kinetic(1, 0), cross, 2 * kinetic(0, 1)]
    expected = [v["m_c"] + v["m_p"], v["m_p"] * v["L"] / 2 * math.cos(theta), v["m_p"] * v["L"] ** 2 / 3]
    assert found == pytest.approx(expected, rel=1e-14)  # differences of energies near 1 J lose a digit


def test_a_file_need_not_name_its_schema():
    """There is one version so far; a file without the line is read as that."""
    text = dumps(robots.find("biglide"))
    line = next(row for row in text.splitlines() if row.startswith("schema"))
    assert loads(text.replace(line, "")).values() == loads(text).values()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_file_may_begin_with_the_mark_of_its_encoding(tmp_path, encoding):
    """PowerShell's `closedchain show fourbar --toml > mine.toml` writes UTF-16 and lines that end in CR LF."""
    source = dumps(robots.find("fourbar"))
    (tmp_path / "mine.toml").write_bytes(source.replace("\n", "\r\n").encode(encoding))
    assert dumps(read(tmp_path / "mine.toml")) == source
