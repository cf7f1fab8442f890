"""The other commands: list, show, check, equations, schema, doctor, demo, bench."""

import argparse
import json
import re
import shlex
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import jsonschema
import numpy as np
import pytest

from closedchain import robots
from closedchain.cli import bench, check, demo, installation
from closedchain.cli.parser import COMMANDS, MODES, build, join_values
from closedchain.describe.files import loads
from closedchain.verify.laws import Report, Row

ROOT = Path(__file__).parents[2]


def test_list_names_every_robot_and_linkage(run):
    """Two tables, and one document; a family tells its sizes."""
    first, second = run("list").out.split("\n\n")
    assert [line.split()[0] for line in first.splitlines()[1:]] == list(robots.names())
    assert [line.split()[0] for line in second.splitlines()[1:]] == list(robots.linkage_names())
    assert "cartpole:light" in second
    assert "nfourbar:1 … nfourbar:200" in second
    answer = run("list", "--json").json
    assert [each["name"] for each in answer["linkages"]] == list(robots.linkage_names())
    linkages, listed = ({each["name"]: each for each in answer[kind]} for kind in ("linkages", "robots"))
    assert linkages["nfourbar"]["sizes"] == [1, 200]
    assert answer["schema"] == "closedchain.list/1"
    assert listed["biglide"]["presets"] == ["lab"]


@pytest.mark.parametrize("name", robots.names())
def test_show_tells_what_each_robot_is(run, name):
    """Parameters with units, coordinates with units; the mechanism file that it prints is valid and reads back."""
    out = run("show", name).out
    answer = run("show", name, "--json").json
    for parameter in answer["parameters"]:
        assert parameter in out
    assert answer["q"][0]["unit"] in ("m", "rad")
    source = run("show", name, "--toml").out
    assert loads(source).name == name
    jsonschema.validate(tomllib.loads(source), run("schema").json)


def test_show_writes_presets_and_settings_into_the_file(run):
    """`show biglide:lab --set d=500mm --toml` is a robot of its own with those numbers."""
    source = run("show", "biglide:lab", "--set", "d=500mm", "--toml").out
    values = loads(source).values()
    assert (values["l"], values["d"], values["m_p"]) == (0.2828427, 0.5, 3.0)
    assert run("show", "biglide:lab", "--set", "d=0.5", "--toml", "--json").json["toml"] == source


def test_show_tells_which_values_are_the_sets_own(run):
    """biglide:lab has another l, d is set here, the masses are the robot's, with its source."""
    answer = run("show", "biglide:lab", "--set", "d=500mm", "--json").json
    own = run("show", "biglide", "--json").json["sources"]
    assert answer["sources"] == own | {"l": "the set biglide:lab", "d": "--set"}
    lines = run("show", "biglide:lab").out.splitlines()
    assert [line.split()[0] for line in lines if line.endswith("the set biglide:lab")] == ["l"]


def test_show_tells_that_a_formula_follows_what_was_set(run, tmp_path):
    """m = 2 l of a file: with another l its printed source would be wrong."""
    path = tmp_path / "glide.toml"
    text = run("show", "biglide", "--toml").out
    assert "m_p = " in text
    kept = [line for line in text.splitlines() if not line.startswith("m_p = ")]
    kept.insert(kept.index("[parameters]") + 1, 'm_p = { value = "8 * l", unit = "kg", source = "weighed" }')
    path.write_text("\n".join(kept), encoding="utf-8")
    assert run("show", str(path), "--json").json["sources"]["m_p"] == "weighed"
    assert run("show", str(path), "--set", "l=0.3", "--json").json["sources"]["m_p"] == "m_p = 8*l"


def test_check_says_yes_for_the_biglide(run):
    """Every law holds: code 0, one row per law."""
    done = run("check", "biglide", "--states", "50", "--seed", "3", "--json")
    answer = done.json
    assert (done.code, answer["ok"], answer["states"], answer["seed"]) == (0, True, 50, 3)
    assert all(law["ok"] and law["worst"] <= law["limit"] for law in answer["laws"])
    assert any("power balance" in law["law"] for law in answer["laws"])


def test_check_fails_with_code_1_when_a_law_is_broken(run, monkeypatch):
    """The report of a robot that breaks a law, one misfit not even finite."""
    broken = Report("biglide", (Row("a law", 1.0, 1e-9, "q = (0, 0)", 1), Row("another", np.inf, 1e-9, "", 1)))
    monkeypatch.setattr(check, "check", lambda model, **options: broken)
    done = run("check", "biglide", "--json")
    assert (done.code, done.json["ok"]) == (1, False)
    assert [law["worst"] for law in done.json["laws"]] == [1.0, None]
    done = run("check", "biglide")
    assert done.code == 1
    assert "FAIL" in done.out


def test_check_ends_with_code_4_where_no_state_could_tell(run, monkeypatch):
    """Neither yes nor no: a law that rounding hides is told as that."""
    hidden = Report("biglide", (Row("a law", 0.0, 1e-3, "q = (0, 0)", 80, told=0), Row("another", 0.0, 1e-9, "", 80)))
    monkeypatch.setattr(check, "check", lambda model, **options: hidden)
    done = run("check", "biglide", "--json")
    assert (done.code, done.json["ok"], done.json["verdict"]) == (4, False, "untold")
    assert [law["told"] for law in done.json["laws"]] == [0, 80]
    assert "rounding hides" in run("check", "biglide").out


def test_check_answers_for_a_linkage_whose_drives_do_not_close_at_zero(run, tmp_path):
    """A crank that must stand between 60° and 120°: it is looked at where it is near, not with its drive at zero."""
    path = tmp_path / "rocker.toml"
    path.write_text(
        """name = "rocker"\nlinkage = true\n[points]\nD = { fixed = [0, 2] }\n"""
        "P = { free = true, mass = 1, near = [0.3, 1.6] }\n[drives.q]\ncrank = { about = [0, 0], radius = 1 }\n"
        """mass = 1\npoint = "A"\n[[bars]]\nbetween = ["A", "P"]\nlength = 0.6\n"""
        """[[bars]]\nbetween = ["D", "P"]\nlength = 0.5\n""",
        encoding="utf-8",
    )
    done = run("check", str(path), "--states", "20", "--json")
    assert (done.code, done.json["verdict"], done.json["mobility"]["mobility"]) == (0, "holds", 1)


def values_of(parser, words=()):
    """Every option of every command that takes a value, with the words before it."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from values_of(below, (*words, name))
        elif action.option_strings and action.nargs is None and action.metavar is not None:
            yield words, action.option_strings[-1]


@pytest.mark.parametrize("words, option", list(values_of(build())), ids=lambda v: v if isinstance(v, str) else v[0])
def test_two_minus_signs_are_a_mode_or_no_value(run, words, option):
    """argparse drops a value of two minus signs and leaves a list in its place."""
    if option in MODES:
        assert join_values([*words, "biglide", f"{option}=--"])[-1] == f"{option}=−−"
    else:
        done = run(*words, "squeezer", f"{option}=--")
        assert done.code == 2
        assert f"{option} has no value" in done.err


@pytest.mark.parametrize(
    "form, mark",
    [("markdown", "$$"), ("latex", r"\documentclass"), ("mathml", "<math "), ("text", "M_z[1,1] = m_f")],
)
def test_equations_come_in_four_forms(run, form, mark):
    """Markdown, a LaTeX document, a page with MathML, text; a JSON document carries any of them."""
    out = run("equations", "biglide", "--format", form).out
    assert mark in out
    answer = run("equations", "biglide", "--format", form, "--json").json
    assert (answer["format"], answer["source"]) == (form, out)


def test_schema_is_a_valid_json_schema(run):
    """Of the draft it names."""
    jsonschema.Draft202012Validator.check_schema(run("schema").json)


# doctor ---------------------------------------------------------------------------------------------


def test_doctor_finds_this_installation_in_order(run):
    """Packages, cache and compiler; the sample program runs."""
    done = run("doctor", "--json")
    found = {finding["name"]: finding for finding in done.json["findings"]}
    assert done.code == 0, done.out
    assert done.json["ok"] is True
    assert found["compiler"]["ok"] is True
    assert found["numpy"]["value"] == np.__version__
    assert "everything works" in run("doctor").out


def test_doctor_reports_what_is_broken_and_goes_on(run, monkeypatch):
    """A missing package, an import that fails, a wrong compiler: each a PROBLEM with advice, code 1."""
    monkeypatch.setattr(installation, "REQUIRED", ("numpy", "no_such_package", "sympy"))
    monkeypatch.setattr(installation, "EXTRAS", {})
    monkeypatch.setitem(sys.modules, "sympy", None)
    monkeypatch.setattr(installation, "_sample", _wrong_sample)
    done = run("doctor", "--json")
    found = {finding["name"]: finding for finding in done.json["findings"]}
    assert done.code == 1
    assert found["numpy"]["ok"] is True
    for name in ("no_such_package", "sympy", "compiler"):
        assert found[name]["ok"] is False
        assert found[name]["advice"]
    assert run("doctor").out.count("PROBLEM") == 3


def _wrong_sample(program, build):
    b = build.Builder()
    inputs = [program.Operand("x"), program.Operand("y")]
    return b.finish("sample", inputs, [program.Operand("z")], [b.emit("add", b.input(0, 0), b.input(1, 0))])


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_doctor_warns_of_a_cache_that_others_can_write(run, monkeypatch, tmp_path):
    """A folder of mode 777 is a problem, and the line says what to do."""
    tmp_path.chmod(0o777)
    monkeypatch.setenv("CLOSEDCHAIN_CACHE", str(tmp_path))
    done = run("doctor")
    assert done.code == 1
    assert "chmod 700" in done.out


def test_doctor_knows_every_package_that_the_project_needs():
    """What doctor looks for is declared, and what is declared and imported is looked for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {line.split(">")[0] for line in project["dependencies"]}
    assert declared == set(installation.REQUIRED)


# demo and bench ---------------------------------------------------------------------------------------


def test_demo_s_references_are_those_of_the_truth_file():
    """The numbers in the command are the third state of TRUTH.md §2."""
    state = json.loads((ROOT / "tests/data/truth_biglide.json").read_text(encoding="utf-8"))["states"][2]
    theirs = {"x_dot": "xd", "x_ddot": "xdd", "passive": "phi"}
    assert {name: state[theirs.get(name, name)] for name in demo.REFERENCE} == demo.REFERENCE
    assert {"q": state["q"], "q_dot": state["qd"], "q_ddot": state["qdd"]} == demo.STATE


def test_every_command_that_the_demo_suggests_works(run, tmp_path, monkeypatch):
    """The lines under "Try next", typed as they stand."""
    monkeypatch.chdir(tmp_path)
    for line in list(demo.ending(1.0))[2:]:
        command = line.strip().split("   ")[0].removeprefix("closedchain ")
        words, _, target = command.partition(" > ")
        done = run(*words.split())
        assert done.code == 0, line
        if target:
            Path(target).write_text(done.out, encoding="utf-8")


def test_bench_finds_the_scripts_that_have_a_main():
    """By reading them, so that nothing heavy is imported to list them."""
    assert {"single_call", "million_states", "first_use"} <= set(bench.scripts(ROOT / "benchmarks"))
    assert "harness" not in bench.scripts(ROOT / "benchmarks")


@pytest.mark.parametrize("met, code", [(True, 0), (None, 0), (False, 1)])
def test_bench_prints_what_a_script_measured(run, monkeypatch, met, code):
    """A missed claim is code 1; one that could not be measured is not."""
    result = {"claims": [{"text": "fast", "met": met}], "tables": []}
    script, harness = ModuleType("script"), ModuleType("harness")
    script.main = lambda: result
    harness.show, harness.WrongAnswer = (lambda given: f"claims: {len(given['claims'])}"), AssertionError
    monkeypatch.setattr(bench, "home", lambda: ROOT / "benchmarks")
    monkeypatch.setitem(sys.modules, f"{bench.PACKAGE}.single_call", script)
    monkeypatch.setitem(sys.modules, f"{bench.PACKAGE}.harness", harness)
    monkeypatch.setitem(sys.modules, bench.PACKAGE, ModuleType(bench.PACKAGE))
    done = run("bench", "single_call", "--json")
    assert (done.code, done.json["results"]) == (code, {"single_call": result})
    assert run("bench", "single_call").out == "claims: 1\n"


def test_bench_loads_the_scripts_of_a_checkout():
    """The package `closedchain.benchmarks` is the folder beside src, or the one in the wheel."""
    folder = bench.home()
    assert (folder / "harness.py").is_file()
    assert bench.PACKAGE in sys.modules or bench.importlib.util.find_spec(bench.PACKAGE)


# The page in the documentation --------------------------------------------------------------------------

PAGE = (ROOT / "docs/reference/cli.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("line", re.findall(r"^closedchain .*", PAGE, re.MULTILINE))
def test_every_command_on_the_reference_page_works(run, line, tmp_path, monkeypatch):
    """The examples, as they stand; what they write goes to a folder of its own."""
    monkeypatch.chdir(tmp_path)
    done = run(*shlex.split(line)[1:])
    assert done.code == 0, done.err


def test_the_reference_page_names_every_command_and_every_key(run):
    """Commands, schemas, and the keys of the two documents that programs read most."""
    for name in COMMANDS:
        assert f"`{name}" in PAGE
    for argv in (("solve", "direct", "biglide", "--q", "0,0"), ("evaluate", "biglide", "--q", "0,0")):
        answer = run(*argv, "--json").json
        assert f"`{answer['schema']}`" in PAGE
        for key in [*answer, *(answer["solutions"][0] if "solutions" in answer else ())]:
            assert f"`{key}`" in PAGE


UNASSEMBLABLE = """
name = "short"
output = "C"
[points]
C = { free = true, mass = 1 }
[drives.q1]
slider = { at = [-0.2, 0], along = [0, 1] }
[drives.q2]
slider = { at = [0.2, 0], along = [0, 1] }
[[bars]]
between = ["q1", "C"]
length = 0.1
[[bars]]
between = ["q2", "C"]
length = 0.1
"""


@pytest.mark.parametrize("command", [("check",), ("solve", "inverse", "--x", "0,0"), ("evaluate", "--q", "0,0")])
def test_a_file_that_cannot_be_assembled_is_a_bad_file(run, tmp_path, command):
    """Feet 0.4 m apart, bars of 0.1 m: 0.1 m is missing at each; one line, exit code 3, before any work."""
    path = tmp_path / "short.toml"
    path.write_text(UNASSEMBLABLE)
    words = [*command[:2], str(path), *command[2:]] if command[0] == "solve" else [command[0], str(path), *command[1:]]
    done = run(*words)
    assert done.code == 3
    problem = done.err.splitlines()[-1]
    assert "short.toml" in problem
    assert "100 mm" in problem
