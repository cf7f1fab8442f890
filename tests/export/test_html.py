"""The page of a robot: its size, its policy, its data; what it cannot carry is refused. Its behaviour is tested in a
browser, in tests/browser/test_explorable.py."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import closedchain as cc
from closedchain import robots
from closedchain.cli import main
from closedchain.control.feedforward import Constant
from closedchain.errors import BadInput
from closedchain.export.html import DIGITS, LARGEST, MOTION, closed_over, explorable, motion
from closedchain.export.staging import scene

QUICK = ("biglide", "furuta", "triplate")
ROBOTS = [pytest.param(n, marks=[] if n in QUICK else pytest.mark.slow) for n in robots.names()]
NASTY = 'A </script><script>alert(1)</script> <!-- robot "of" ours & more'


class Document(HTMLParser):
    """The elements of a page that matter, with their text."""

    def __init__(self, text):
        super().__init__(convert_charrefs=False)
        self.scripts, self.styles, self.metas, self.addresses, self._inside = [], [], [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """Remember scripts, styles, metas and every address."""
        given = dict(attrs)
        self.addresses += [given[key] for key in ("src", "href", "action", "data") if key in given]
        if tag == "meta":
            self.metas.append(given)
        if tag in ("script", "style"):
            self._inside = [given, ""]
            (self.scripts if tag == "script" else self.styles).append(self._inside)

    def handle_endtag(self, tag):
        """The text has ended."""
        self._inside = None if tag in ("script", "style") else self._inside

    def handle_data(self, data):
        """The text of a script or style."""
        if self._inside is not None:
            self._inside[1] += data


def told_of(document):
    """The page's data."""
    (text,) = [text for given, text in document.scripts if given.get("type") == "application/json"]
    return json.loads(text)


@pytest.mark.parametrize("name", ROBOTS)
def test_a_page_is_small_and_names_no_address(name):
    """At most 350 kB in all, 600 kB in space, and no element that loads anything."""
    model = cc.load(name)
    text = explorable(model)
    document = Document(text)
    flat = len(model.equations.points[0][1]) == 2
    assert len(text.encode()) <= (350_000 if flat else 600_000) < LARGEST
    assert document.addresses == []
    assert told_of(document)["schema"] == "closedchain.explorable/1"


def test_the_policy_allows_its_own_scripts_and_nothing_else():
    """Each script and style by its hash, and WebAssembly, which stands in them; no eval, no handlers, no connection."""
    document = Document(explorable(cc.load("biglide")))
    (policy,) = [m["content"] for m in document.metas if m.get("http-equiv") == "Content-Security-Policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert re.findall(r"'[^']*unsafe[^']*'", policy) == ["'wasm-unsafe-eval'"]
    assert "http" not in policy
    for kind, texts in (("script-src", document.scripts), ("style-src", document.styles)):
        hashed = [t for given, t in texts if "type" not in given]
        wanted = {f"'sha256-{base64.b64encode(hashlib.sha256(t.encode()).digest()).decode()}'" for t in hashed}
        assert set(rules[kind].split()) - {"'wasm-unsafe-eval'"} == wanted


def test_the_scripts_hold_nothing_that_reaches_out():
    """No network and no code from text, in the kernels and in what shows them."""
    document = Document(explorable(cc.load("fivebar")))
    for _, text in document.scripts:
        assert not re.search(r"\b(fetch|eval|WebSocket|XMLHttpRequest|importScripts|sendBeacon|Function)\s*\(", text)
        assert not re.search(r"https?://(?!www\.w3\.org/)", text)  # the SVG name space is no address


def test_a_description_cannot_end_its_element(tmp_path):
    """Text with script tags in a robot's file stays text: three scripts, as in every page."""
    path = tmp_path / "nasty.toml"
    lines = ['schema = "closedchain.mechanism/1"', 'name = "nasty"', f"about = {json.dumps(NASTY)}"]
    lines += ["[parameters]", f"m = {{ value = 1.0, unit = 'kg', about = {json.dumps(NASTY)} }}", "[equations]"]
    lines += ["q = { cart = 'm' }", "driven = ['cart']", "kinetic = 'm*cart_dot**2/2'"]
    lines += ["points = { O = [0, 0], P = ['cart', 0] }", "lines = [['O', 'P']]"]
    path.write_text("\n".join(lines), encoding="utf-8")
    document = Document(explorable(cc.load(str(path))))
    assert len(document.scripts) == 3
    assert not any("<script" in text.lower() or "<!--" in text for _, text in document.scripts)


def test_a_page_is_the_same_each_time():
    """No time, no random name: two exports are equal to the byte."""
    model = cc.load("biglide")
    assert explorable(model) == explorable(cc.load("biglide"))


def test_a_general_linkage_is_told_what_to_do_instead():
    """Its motion is not exported."""
    with pytest.raises(BadInput, match="--animate"):
        explorable(cc.load("nfourbar"))


def test_a_run_of_other_values_is_refused():
    """A page's kernels and its motion are of one robot."""
    model = cc.load("fourbar")
    run = cc.simulate(model, Constant((0.0,)), q=[1.0], assembly="+", duration=0.05)
    assert told_of(Document(explorable(model, run)))["run"]["q"]
    with pytest.raises(BadInput, match="export the run's own model"):
        explorable(model.with_values(a=0.11), run)


def test_a_motion_is_thinned_but_keeps_its_ends():
    """Sixty instants a second, the first and the last among them, numbers to twelve digits, times from zero."""
    run = cc.simulate(cc.load("fourbar"), Constant((0.0,)), q=[1.0], assembly="+", duration=0.5)
    told = motion(run)
    assert len(told["t"]) == 31
    assert (told["t"][0], told["t"][-1]) == (0.0, 0.5)
    half = 5 * 10.0**-DIGITS  # of the last digit, at worst of 1.00…
    np.testing.assert_allclose(told["q"][-1], run.q[-1], rtol=half)
    np.testing.assert_allclose(told["x"][0], run.x[0], rtol=half)
    assert len(json.dumps(told)) < MOTION


def test_what_is_drawn_follows_the_description():
    """The triplate: two cranks about one centre, a telescope, a triangle, two bars; rails where a biglide slides."""
    drawn, _ = scene(cc.load("triplate"))
    kinds = [part["kind"] for part in drawn["parts"]]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "ground": 2,
        "plate": 1,
        "crank": 2,
        "telescope": 1,
        "bar": 2,
    }
    assert len(drawn["constants"]) == 1
    assert drawn["names"][drawn["tip"]] == "a2"
    drawn, _ = scene(cc.load("biglide"))
    assert [rail["fixed"] for rail in drawn["rails"]] == [True, True]
    assert [d["kind"] for d in drawn["drives"]] == ["slider", "slider"]


def test_a_module_becomes_a_script_that_leaves_one_name():
    """Exports are returned, nothing else is left outside."""
    made = closed_over("export const a = 1;\nconst b = 2;\nexport function c() { return b; }\n")
    assert made.startswith("var closedchainKernels = (() => {")
    assert "return { a, c };" in made
    assert "export" not in made


def test_the_command_writes_a_page_with_its_simulation(tmp_path, capsys):
    """--scenario runs it, with --set in it; its values are the page's."""
    place = tmp_path / "page.html"
    words = ["export", "biglide", "--to", "html", "--scenario", "biglide-oscillate", "--set", "m_p=2.5"]
    assert main([*words, "--out", str(place)]) == 0
    told = told_of(Document(place.read_text(encoding="utf-8")))
    assert told["run"]["title"] == "biglide-oscillate"
    assert "m_p" in told["given"]
    assert str(place) in capsys.readouterr().out


@pytest.mark.parametrize("words", [["fivebar", "--to", "html"], ["biglide", "--to", "c"]])
def test_a_simulation_of_another_robot_or_for_another_format_is_refused(words, capsys):
    """Exit code 2 and one line that says which."""
    assert main(["export", *words, "--scenario", "biglide-oscillate"]) == 2
    assert "--scenario" in capsys.readouterr().err
