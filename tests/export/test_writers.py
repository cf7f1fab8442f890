"""`closedchain export --to c | fmu | casadi | js`: the files are there, and whole."""

import json
import zipfile

import pytest

from closedchain.cli import main


@pytest.mark.parametrize(
    "format_, endings", [("c", (".c", ".h")), ("casadi", (".casadi",)), ("fmu", (".fmu",)), ("js", (".mjs",))]
)
def test_each_format_writes_its_files(format_, endings, tmp_path, capsys):
    """Named by --out, listed on stdout."""
    first = tmp_path / f"furuta{endings[0]}"
    assert main(["export", "furuta", "--to", format_, "--out", str(first)]) == 0
    printed = capsys.readouterr().out
    for ending in endings:
        path = first.with_suffix(ending)
        assert path.stat().st_size > 1000
        assert str(path) in printed


def test_a_module_goes_to_stdout(capsys):
    """One text needs no file; parameters are those that were set."""
    assert main(["export", "biglide", "--to", "js", "--set", "l=400mm"]) == 0
    printed = capsys.readouterr().out
    assert "export const kernels" in printed
    robot = json.loads(printed.split("export const robot = ", 1)[1].split(";\n", 1)[0])
    assert robot["parameters"][0] == {"name": "l", "value": 0.4, "unit": "m", "about": "length of each bar"}


def test_a_binary_format_needs_a_file(capsys):
    """It is said how to name one."""
    assert main(["export", "biglide", "--to", "fmu"]) == 2
    assert "--out" in capsys.readouterr().err


def test_an_fmu_says_what_is_inside(tmp_path, capsys):
    """A binary for this platform, or that there is none."""
    assert main(["export", "furuta", "--to", "fmu", "--out", str(tmp_path / "f.fmu")]) == 0
    said = capsys.readouterr().err
    with zipfile.ZipFile(tmp_path / "f.fmu") as pack:
        has = any(n.startswith("binaries/") for n in pack.namelist())
    assert ("with a binary for" in said) == has
    assert ("without a binary" in said) != has
