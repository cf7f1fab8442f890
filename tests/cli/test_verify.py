"""`closedchain verify` on the command line."""

import pytest

import closedchain as cc
from closedchain import motion
from closedchain.cli import verify
from closedchain.verify import engine
from closedchain.verify.compare import compare


def test_verify_prints_the_documents_table(run):
    """Verdict, quantities with units, limits with their reasons; code 0."""
    done = run("verify", "biglide", "--engine", "mujoco", "--motion", "random", "--states", "8")
    assert (done.code, done.err) == (0, "")
    assert "within their limits" in done.out.splitlines()[0]
    row = next(line for line in done.out.splitlines() if " output velocity " in line)
    assert row.split()[0] == "ok"
    assert "m/s" in row
    assert "ε κ size" in row


def test_verify_answers_with_one_document(run):
    """ok, and a row for each quantity with its largest and RMS difference, limit and unit."""
    done = run(
        "verify", "fivebar", "--engine", "mujoco", "--motion", "random", "--working", "--", "--states", "6", "--json"
    )
    answer = done.json
    assert (done.code, answer["schema"], answer["ok"]) == (0, "closedchain.verify/1", True)
    assert (answer["robot"], answer["states"], answer["seed"]) == ("fivebar", 6, 0)
    for row in answer["rows"]:
        assert {"quantity", "engine", "max", "rms", "limit", "ok", "unit", "why"} <= set(row)
        assert 0.0 <= row["rms"] <= row["max"] * (1 + 1e-12) <= row["limit"] * (1 + 1e-12)
    assert {"M", "c", "efforts", "loop forces", "q12 acceleration"} <= {row["quantity"] for row in answer["rows"]}


def test_a_broken_limit_is_code_1_and_is_explained(run, monkeypatch):
    """A fault of a thousandth in the engine's tip: text and document name it."""
    told = cc.load("biglide", m_p=3.003)

    def faulty(model, name, motion, seed, states, **branch):
        return compare(model, engine_model=told, engine=name, motion=motion, seed=seed, states=states)

    monkeypatch.setattr(verify, "verify", faulty)
    words = ("verify", "biglide", "--engine", "mujoco", "--motion", "random", "--states", "8")
    done = run(*words)
    assert done.code == 1
    assert "FAIL" in done.out
    assert "m_p is 3 kg in the model and 3.003 in the engine: 0.0999 % too small" in done.out
    done = run(*words, "--json")
    assert (done.code, done.json["ok"]) == (1, False)
    assert done.json["diagnosis"]["causes"][0]["kind"] == "parameter"


def test_verify_writes_a_page_and_pictures(run, tmp_path):
    """One .html; a picture for each engine and motion."""
    page, picture = tmp_path / "b.html", tmp_path / "b.svg"
    words = ("--engine", "mujoco", "--motion", "trajectory", "--html", str(page), "--plot", str(picture))
    done = run("verify", "furuta:qube", *words)
    assert done.code == 0
    assert page.stat().st_size > 10_000
    assert [p.name for p in tmp_path.glob("*.svg")] == ["b-mujoco-trajectory.svg"]
    assert done.err.count("wrote") == 2


def test_every_robot_in_one_table(run, monkeypatch):
    """--all with --markdown; with --json a list of answers."""
    monkeypatch.setattr(verify, "every", lambda: ["biglide", "furuta:qube"])
    words = ("verify", "--all", "--engine", "mujoco", "--motion", "random", "--states", "5")
    done = run(*words, "--markdown")
    assert done.code == 0
    assert done.out.startswith("| robot | engine | output, m |")
    assert [line.split(" | ")[0] for line in done.out.splitlines()[2:]] == ["| biglide", "| furuta:qube"]
    assert all(line.endswith(("27 of 27 |", "11 of 11 |")) for line in done.out.splitlines()[2:])
    answer = run(*words, "--json").json
    assert [part["robot"] for part in answer["robots"]] == ["biglide", "furuta:qube"]
    assert answer["ok"] is True


def test_every_means_every_parameter_set():
    """Robots with their presets, by the names that `load` knows."""
    names = verify.every()
    assert {"biglide", "biglide:lab", "furuta:qube", "delta"} <= set(names)
    for name in names:
        cc.load(name)


@pytest.mark.parametrize(
    "words, message",
    [
        ((), "which robot"),
        (("biglide", "--all"), "which robot"),
        (("biglide", "--engine", "adams"), "invalid choice"),
        (("biglide", "--html", "x.txt"), "its name must end in .html"),
        (("--all", "--plot", "x.png"), "about one robot"),
        (("biglide", "--working", "+++", "--motion", "random"), "no working mode"),
    ],
)
def test_wrong_words_are_usage(run, words, message):
    """Code 2 and one line."""
    done = run("verify", *words)
    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1


def test_a_missing_engine_is_one_clear_line(run, monkeypatch):
    """Which package brings it."""
    monkeypatch.setitem(engine.PACKAGES, "pinocchio", "no_such_package")
    done = run("verify", "biglide", "--engine", "pinocchio")
    assert done.code == 2
    assert "pinocchio is not installed: pip install pin\n" in done.err


def test_verify_compares_along_a_formula_a_table_and_a_scenario(run, tmp_path):
    """The same sine three ways: the same differences; the document says which motion it was."""
    formula = "q1 = 0.1*sin(t); q2 = -0.1*sin(t)"
    feet = motion.formula_of(cc.load("biglide"), formula, 1.0)
    motion.write_table(tmp_path / "feet.csv", motion.sample(feet, 0.01))
    scenario = tmp_path / "sine.toml"
    scenario.write_text(
        'robot = "biglide"\ninterval = 0.01\n[trajectory]\nkind = "formula"\nduration = 1\n'
        'formula = ["0.1*sin(t)", "-0.1*sin(t)"]\nspace = "joint"\n[controller]\nkind = "pd"\n'
    )
    sizes = []
    for given in (formula, str(tmp_path / "feet.csv"), str(scenario)):
        words = ("--engine", "mujoco", "--motion", given, "--duration", "1s", "--engine-set", "l=360.555mm", "--json")
        done = run("verify", "biglide", *words)
        assert done.code == 1
        assert done.json["motion"] == given
        sizes.append(next(row["max"] for row in done.json["rows"] if row["quantity"] == "output"))
        assert done.json["diagnosis"]["causes"][0]["words"].startswith("l is 0.3606 m in the model and 0.360555 in")
    assert sizes[0] == pytest.approx(sizes[1], rel=1e-9) == pytest.approx(sizes[2], rel=1e-9)


def test_a_file_of_ones_own_functions_stands_in_the_table(run, tmp_path):
    """--model runs it; --engine none leaves the engines out; a wrong one is code 1 without a diagnosis."""
    mine = tmp_path / "mine.py"
    mine.write_text("def kinetic(q_dot, M):\n    return q_dot @ M @ q_dot / 2\n")
    words = ("verify", "biglide", "--engine", "none", "--motion", "random", "--states", "5", "--model", str(mine))
    done = run(*words)
    assert done.code == 0
    assert "biglide against mine: all 1 differences" in done.out
    mine.write_text("def kinetic(q_dot, M):\n    return q_dot @ M @ q_dot\n")
    done = run(*words, "--json")
    assert (done.code, done.json["rows"][0]["engine"], "diagnosis" in done.json) == (1, "mine", False)


@pytest.mark.parametrize(
    "words, said",
    [
        (("--motion", "none.csv"), "no such file"),
        (("--motion", "q1 = t"), "q1, q2 (the drives) or x, y (the output)"),
        (("--motion", "biglide-oscillate"), "no trajectory"),
        (("--engine", "none"), "nothing to compare with"),
        (("--model", "none.py"), "no Python file"),
        (("--engine-set", "ll=1"), "did you mean 'l'?"),
    ],
)
def test_a_motion_that_is_none_is_refused_in_one_line(run, words, said):
    """Exit code 2, and what there is."""
    done = run("verify", "biglide", *words)
    assert done.code == 2
    assert said in done.err
    assert len(done.err.splitlines()) == 1
