"""`lab new`: what a group gets, that it runs, and that nothing is overwritten."""

import ast
from pathlib import Path

import pytest

from closedchain.errors import BadInput
from closedchain_lab import skeletons
from closedchain_lab.running import run_script
from closedchain_lab.session import Settings

SIGNATURES = {  # LAB.md's table
    "dgm": "q11 q21 assembly_mode",
    "igm": "x y gamma1 gamma2",
    "dgm_passive": "q11 q21 assembly_mode",
    "dkm": "q11 q12 q21 q22 q11D q21D",
    "ikm": "q11 q12 q21 q22 xD yD",
    "dkm_passive": "q11 q12 q21 q22 q11D q21D xD yD",
    "dkm2": "q11 q12 q21 q22 q11D q12D q21D q22D q11DD q21DD",
    "ikm2": "q11 q12 q21 q22 q11D q12D q21D q22D xDD yDD",
    "dkm2_passive": "q11 q12 q21 q22 q11D q12D q21D q22D q11DD q21DD xDD yDD",
    "dynamic_model": "q11 q12 q21 q22 q11D q12D q21D q22D",
}
INVERSE = ("igm", "ikm", "ikm2", "dynamic_model")
MODELS = {"biglide": "biglide_models.py", "fivebar": "five_bar_models.py"}
NUMBERS = {  # LAB.md
    "biglide": {"l": 0.2828427, "d": 0.4, "mp": 3.0, "mf": 1.0},
    "fivebar": {"l": 0.09, "d": 0.118, "ZZ1R": 1.0 * 0.045 * 0.045, "ZZ2R": 1.0 * 0.045 * 0.045, "mR": 0.5},
}


@pytest.fixture
def right():
    """The text of a right file by its name."""
    return lambda name: (Path(__file__).parent / f"grading/right/{name}.txt").read_text(encoding="utf-8")


@pytest.fixture(params=MODELS)
def robot(request):
    """Both robots of the lab."""
    return request.param


@pytest.fixture
def folder(robot, tmp_path):
    """A group's folder, fresh."""
    skeletons.create(robot, tmp_path / "group")
    return tmp_path / "group"


def test_the_files_of_a_group(robot, folder):
    """Six of them, every word filled in, none that is not Python."""
    names = {MODELS[robot], "model_test.py", "inverse_model_test.py", "model_eval.py", "control.py", "README.md"}
    assert {path.name for path in folder.iterdir()} == names
    for path in folder.iterdir():
        text = path.read_text(encoding="utf-8")
        assert not [
            word for word in ("@ROBOT@", "@MODELS@", "@SECONDS@", "@GOAL@", "@EFFORT@", "@TITLE@") if word in text
        ]
        if path.suffix == ".py":
            ast.parse(text)


def test_the_functions_have_the_labs_signatures_and_numbers(robot, folder):
    """The ten of its table, in order, and the constants that the robot has."""
    tree = ast.parse((folder / MODELS[robot]).read_text(encoding="utf-8"))
    found = {f.name: " ".join(a.arg for a in f.args.args) for f in tree.body if isinstance(f, ast.FunctionDef)}
    assert found == SIGNATURES
    given = [node for node in tree.body if isinstance(node, ast.Assign)]
    texts = {node.targets[0].id: ast.unparse(node.value) for node in given}
    assert {name: np_free(text) for name, text in texts.items()} == NUMBERS[robot]


def np_free(text):
    """A product of numbers."""
    product = 1.0
    for factor in text.split("*"):
        product *= float(factor)
    return product


def test_what_is_not_written_yet_is_said(robot, folder, capsys):
    """Each test names those of its models that are missing and goes on with the others; the control needs them."""
    assert run_script(folder / "model_eval.py", settings=Settings(duration=0.1)).code == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("write me: ")[1].split()[0] for line in lines] == [
        "dgm", "dgm_passive", "dkm", "dkm_passive", "dkm2", "dkm2_passive", "igm", "ikm", "ikm2", "dynamic_model",
    ]  # fmt: skip
    direct = ["dgm", "dgm_passive", "dkm", "dkm_passive", "dkm2", "dkm2_passive"]
    for script, told in {"model_test.py": direct, "inverse_model_test.py": [*INVERSE]}.items():
        assert run_script(folder / script, settings=Settings(duration=0.1)).code == 0
        assert [line.split()[2] for line in capsys.readouterr().out.splitlines()] == told
    assert run_script(folder / "control.py", settings=Settings(duration=0.1)).code == 1
    assert capsys.readouterr().err.splitlines()[-1] == f"NotImplementedError: write me: dgm in {MODELS[robot]}"


def test_one_model_can_be_tested_before_the_others_are_written(robot, folder, right):
    """Only igm is there: its two scopes show no difference, and the run goes on."""
    text = (folder / MODELS[robot]).read_text(encoding="utf-8")
    (folder / "whole.py").write_text(right(f"{robot}_vectors"), encoding="utf-8")
    head, tail = text.split("def igm", 1)
    rest = tail.split("\n\n\n", 1)[1]
    (folder / MODELS[robot]).write_text(f"{head}from whole import igm\n\n\n{rest}", encoding="utf-8")
    done = run_script(folder / "inverse_model_test.py", settings=Settings(duration=1.0))
    shown = {chart.title: chart for chart in done.session.charts if not chart.empty}
    assert list(shown) == ["Position q11", "Position q21"]
    for chart in shown.values():
        assert abs(chart.table[:, 1] - chart.table[:, 2]).max() < 1e-12


def test_nothing_is_overwritten(robot, folder, tmp_path):
    """A folder with anything in it is left as it is; an empty one will do."""
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(BadInput, match="not empty"):
        skeletons.create(robot, folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match="is a file"):
        skeletons.create(robot, tmp_path / "file")
    (tmp_path / "empty").mkdir()
    assert len(skeletons.create(robot, tmp_path / "empty")) == 6


@pytest.mark.parametrize("name, makes", [("triplate", "triplate.svg"), ("furuta", "furuta.html")])
def test_an_exercise_runs_as_it_is_made(name, makes, tmp_path, monkeypatch, capsys):
    """Its own script says what is to be written, and draws or animates the robot."""
    made = skeletons.create(name, tmp_path / "group")
    assert {path.name for path in made} == {f"{name}_models.py", "model_test.py", "README.md"}
    assert not [path for path in made if "@" in path.read_text(encoding="utf-8")]
    monkeypatch.chdir(tmp_path / "group")
    assert run_script("model_test.py").code == 0
    assert "write me: " in capsys.readouterr().out
    assert (tmp_path / "group" / makes).stat().st_size > 1000
