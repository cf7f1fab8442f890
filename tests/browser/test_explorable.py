"""Pages opened from file:// in Chromium: dragging, branches, maps, parameters and motion agree with Python's."""

import functools
import json
from pathlib import Path

import numpy as np
import pytest

import closedchain as cc
from closedchain import robots, scenarios
from closedchain.control.feedforward import Constant
from closedchain.export.html import explorable
from closedchain.export.programs import natural_inputs
from closedchain.export.site import write_site
from closedchain.singularity.maps import map_grid
from closedchain.singularity.pose import singularities

AXE = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"
QUICK = ("biglide", "furuta", "triplate")
ROBOTS = [pytest.param(n, marks=[] if n in QUICK else pytest.mark.slow) for n in robots.names()]
CLOSED = [p for p in ROBOTS if p.values[0] != "furuta"]
POSE = "() => ({...explorable.puppet.pose.value, p: Array.from(explorable.app.robot.value.p)})"
READY = (
    "() => window.explorable && explorable.puppet.facts.value && document.querySelector('data')?.value !== undefined"
)
# A drag ends in the frame after the pointer's last event, its readouts with the promise after that.
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30))))"


@functools.cache
def page_of(source):
    """A robot's page as it is loaded; each is derived once."""
    return explorable(cc.load(source))


@pytest.fixture
def opened(chromium, tmp_path):
    """(robot, run) → its page from a file; afterwards nothing was requested and nothing complained."""
    contexts, heard = [], []

    def open_page(source, run=None, scheme="light", fragment=""):
        file = tmp_path / "page.html"
        file.write_text(page_of(source) if run is None else explorable(run.model, run), encoding="utf-8")
        context = chromium.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 800})
        context.set_default_timeout(30_000)  # [ms] on a busy computer
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: heard.append(message.text))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("request", lambda request: request.url.split("#")[0] == file.as_uri() or heard.append(request.url))
        page.goto(file.as_uri() + fragment)
        page.wait_for_function(READY)
        page.evaluate(SETTLED)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert heard == []


def read(page, name):
    """A readout's number in full, as the page holds it behind the rounded text."""
    return float(page.locator(f'data[data-name="{name}"]').get_attribute("value"))


def coordinates(page, model):
    """q and x of the number fields."""

    def value(name):
        return float(page.locator(f'input[data-name="{name}"]').get_attribute("data-value"))

    return [value(c.name) for c in model.equations.q], [value(c.name) for c in model.equations.x]


def check_readouts(page, model):
    """Every number on the page against Python's at the same configuration."""
    q, x = coordinates(page, model)
    at = singularities(model, q=q, x=x)
    ours = model.call("closures", q=np.array(q), x=np.array(x))
    assert np.abs(ours["gap"]).max() < 1e-12 * model.scale
    np.testing.assert_allclose(read(page, "det A"), np.linalg.det(ours["A"]), rtol=1e-9)
    if model.nq == model.nx:
        np.testing.assert_allclose(read(page, "det B"), np.linalg.det(ours["B"]), rtol=1e-9)
    np.testing.assert_allclose(read(page, "condition of A"), np.linalg.cond(ours["A"]), rtol=1e-9)
    np.testing.assert_allclose(read(page, "margin to Type 2"), at.parallel, rtol=1e-9)
    np.testing.assert_allclose(read(page, "margin to Type 1"), at.serial, rtol=1e-9)


def drag(page, label, dx, dy):
    """Take a handle and pull it by pixels; how many metres that is, and its page's y downwards."""
    box = page.get_by_role("slider", name=label, exact=True).locator(".hit").bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + dx / 2, middle[1] + dy / 2, steps=3)
    page.mouse.move(middle[0] + dx, middle[1] + dy, steps=3)
    page.mouse.up()
    page.evaluate(SETTLED)
    return 1 / page.evaluate("() => explorable.stage.pixelsPerMetre")


@pytest.mark.parametrize("name", ROBOTS)
def test_every_robot_opens_from_a_file_and_tells_what_python_tells(name, opened):
    """No request, no message in the console; readouts at the start are Python's to 1e-9."""
    model = cc.load(name)
    page = opened(name)
    assert page.title() == f"{name} · closedchain"
    if model.nx:
        check_readouts(page, model)


@pytest.mark.parametrize("name", ["biglide", "fivebar", "triplate"])
def test_dragging_moves_the_tip_with_the_pointer(name, opened):
    """By as many metres as pixels; the drives follow on the working mode, and every readout follows."""
    model = cc.load(name)
    page = opened(name)
    before = page.evaluate(POSE)
    metres = drag(page, "tip of the robot", 24, -18)
    after = page.evaluate(POSE)
    np.testing.assert_allclose(np.subtract(after["x"], before["x"])[:2], [24 * metres, 18 * metres], rtol=1e-6)
    ours = cc.inverse(model, after["x"])
    wanted = ours.q[list(ours.mode).index(before["working"])]
    np.testing.assert_allclose(np.exp(1j * np.array(after["q"])), np.exp(1j * wanted), atol=1e-12)  # angles by turns
    check_readouts(page, model)


def test_dragging_a_drive_moves_it_and_the_tip_follows_on_its_assembly(opened):
    """A foot of the biglide goes 20 pixels along its rail; the other stays; the tip is Python's pose."""
    model = cc.load("biglide")
    page = opened("biglide")
    before = page.evaluate(POSE)
    metres = drag(page, "drive q1", 5, -20)
    after = page.evaluate(POSE)
    np.testing.assert_allclose(np.subtract(after["q"], before["q"]), [20 * metres, 0.0], rtol=1e-6, atol=1e-15)
    poses = cc.direct(model, after["q"])
    np.testing.assert_allclose(after["x"], poses.x[list(poses.mode).index(before["assembly"])], atol=1e-12)


def test_a_plate_is_turned_by_its_handle_and_by_keys(opened):
    """Page Up turns it by ten degrees; the place of its origin stays."""
    model = cc.load("triplate")
    page = opened("triplate")
    before = page.evaluate(POSE)
    handle = page.get_by_role("slider", name="angle of the plate")
    handle.focus()
    page.keyboard.press("PageUp")
    page.evaluate(SETTLED)
    after = page.evaluate(POSE)
    turned = [0, 0, np.radians(10)]
    np.testing.assert_allclose(np.subtract(after["x"], before["x"]), turned, atol=1e-12)
    assert handle.get_attribute("aria-valuetext") == f"{np.degrees(after['x'][2]):.1f} degrees"
    drag(page, "angle of the plate", 0, -25)
    assert page.evaluate(POSE)["x"][2] > after["x"][2]
    check_readouts(page, model)


def test_the_tip_is_moved_and_spoken_by_keys(opened):
    """An arrow is a hundredth of the robot's size; the new place is in the handle's text."""
    model = cc.load("biglide")
    page = opened("biglide")
    before = page.evaluate(POSE)
    page.get_by_role("slider", name="tip of the robot").focus()
    page.keyboard.press("ArrowRight")
    page.evaluate(SETTLED)
    after = page.evaluate(POSE)
    np.testing.assert_allclose(after["x"][0] - before["x"][0], model.scale / 100, rtol=1e-12)
    spoken = page.get_by_role("slider", name="tip of the robot").get_attribute("aria-valuetext")
    assert f"x {after['x'][0]:.3f} metres" in spoken


@pytest.mark.parametrize("name", CLOSED)
def test_every_branch_is_pythons(name, opened):
    """The robot's own branch and the ghosts together are all working and all assembly modes, by name and place."""
    model = cc.load(name)
    page = opened(name)
    pose, others = page.evaluate(POSE), page.evaluate("() => explorable.puppet.others()")
    if not page.evaluate("explorable.puppet.mover.complete"):  # followed on its own branch: the page knows no other
        assert others == []
        return
    working = {o["pose"]["working"]: o["pose"]["q"] for o in others if o["kind"] == "working"}
    working[pose["working"]] = pose["q"]
    ours = cc.inverse(model, pose["x"])
    assert set(working) == set(ours.mode)
    turns = [c.unit == "rad" for c in model.equations.q]
    for mode, q in zip(ours.mode, ours.q, strict=True):
        apart = np.subtract(working[mode], q)
        apart -= np.where(turns, 2 * np.pi * np.round(apart / (2 * np.pi)), 0)
        np.testing.assert_allclose(apart, 0, atol=1e-9)
    assembly = {o["pose"]["assembly"]: o["pose"]["x"] for o in others if o["kind"] == "assembly"}
    assembly[pose["assembly"]] = pose["x"]
    poses = cc.direct(model, pose["q"])
    assert set(assembly) == set(poses.mode)
    for mode, x in zip(poses.mode, poses.x, strict=True):
        np.testing.assert_allclose(assembly[mode][:2], x[:2], atol=1e-9 * model.scale)


def test_a_click_on_a_ghost_or_on_its_button_switches_the_branch(opened):
    """The output stays, the drives are those of the other working mode; then the other assembly mode."""
    page = opened("biglide")
    before = page.evaluate(POSE)
    ghost = page.get_by_role("button", name="switch to working mode --")
    ghost.focus()
    page.keyboard.press("Enter")
    page.evaluate(SETTLED)
    after = page.evaluate(POSE)
    assert (after["working"], after["x"]) == ("--", before["x"])
    page.get_by_role("radio", name="++").check(force=True)
    page.evaluate(SETTLED)
    np.testing.assert_allclose(page.evaluate(POSE)["q"], before["q"], atol=1e-15)
    page.get_by_role("radio", name="−", exact=True).check(force=True)
    page.evaluate(SETTLED)
    down = page.evaluate(POSE)
    assert down["assembly"] == "-"
    np.testing.assert_allclose(down["q"], before["q"], atol=1e-15)
    assert down["x"][1] < before["x"][1]


def test_out_of_reach_the_robot_waits_at_the_boundary_and_names_the_leg(opened):
    """Typed x = 0.3 m: the biglide's bar 1, 0.3606 m long, reaches 0.1606 m from its rail at −0.2 m."""
    model = cc.load("biglide")
    page = opened("biglide")
    field = page.locator('input[data-name="x"]')
    field.fill("0.3")
    field.press("Enter")
    page.evaluate(SETTLED)
    assert model.legs[0].name in page.locator(".note-box").inner_text()
    assert "139 mm" in page.locator(".note-box").inner_text()  # 0.5 m − 0.3606 m
    np.testing.assert_allclose(page.evaluate(POSE)["x"][0], 0.3606 - 0.2, atol=1e-9)


def test_a_parameter_is_slid_and_everything_follows(opened):
    """Ten arrow keys on l: the output stays, the drives and the readouts are those of the longer bars."""
    page = opened("biglide")
    before = page.evaluate(POSE)
    page.get_by_role("slider", name="l", exact=True).focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    page.evaluate(SETTLED)
    after = page.evaluate(POSE)
    assert after["p"][0] > before["p"][0]
    model = cc.load("biglide").with_values(l=after["p"][0])
    assert after["x"] == before["x"]
    ours = cc.inverse(model, after["x"])
    np.testing.assert_allclose(after["q"], ours.q[list(ours.mode).index("++")], atol=1e-14)
    check_readouts(page, model)


def test_a_crank_is_drawn_about_its_pivot_when_parameters_move_it(opened):
    """The five-bar's pivots stand half their distance from the middle, whatever that is."""
    page = opened("fivebar")
    model = cc.load("fivebar")
    page.evaluate("() => explorable.app.change({d: 0.12})")
    page.evaluate(SETTLED)
    model = model.with_values(d=0.12)
    drawn = page.evaluate("() => explorable.puppet.doc.told.scene.constants")
    wanted = [[model.number(e) for e in drive.about] for drive in model.mechanism.drives]
    np.testing.assert_allclose(sorted(drawn), sorted(wanted), atol=1e-15)
    check_readouts(page, model)


def test_a_formula_follows_the_parameters_it_stands_on(opened):
    """The cart-pole file's inertia is m L²/12: with L doubled it is four times as large, as in Python."""
    file = str(Path(__file__).parents[2] / "examples/robots/cartpole.toml")
    page = opened(file)
    page.evaluate("() => explorable.app.change({L: 2.0})")
    ours = cc.load(file).with_values(L=2.0)
    np.testing.assert_allclose(page.evaluate(POSE)["p"], ours.p, rtol=1e-15)


def test_a_value_with_which_nothing_closes_is_refused(opened):
    """Bars of 0.1 m cannot bridge rails 0.4 m apart: the page says so and keeps the old length."""
    page = opened("biglide")
    page.evaluate("() => explorable.app.change({l: 0.1})")
    page.evaluate(SETTLED)
    assert page.evaluate(POSE)["p"][0] == 0.3606
    assert "do not close" in page.locator(".toast").inner_text()
    page.evaluate("() => explorable.app.change({l: -0.3606})")
    assert page.evaluate(POSE)["p"][0] == 0.3606


MAPS = [("det_A", "det A"), pytest.param("condition", "conditioning", marks=pytest.mark.slow)]
MAPS.append(pytest.param("det_B", "det B", marks=pytest.mark.slow))


@pytest.mark.parametrize("quantity, named", MAPS)
def test_the_map_is_pythons(quantity, named, opened):
    """Every sample of the finest map of the triplate, at its own angle, to rounding; the same edge of the reach."""
    model = cc.load("triplate")
    page = opened("triplate")
    page.get_by_label("Map").select_option(label=named)
    page.wait_for_function("() => explorable.map.finest")
    script = """() => { const m = explorable.map.image;
      return {...m, values: Array.from(m.values, (v) => Number.isNaN(v) ? null : v)}; }"""
    image, pose = page.evaluate(script), page.evaluate(POSE)
    shape = (image["rows"], image["columns"])
    assert shape[0] > 200
    ours = map_grid(
        model, tuple(image["window"]), shape, [quantity], orientation=pose["x"][2], working=pose["working"],
        dtype=np.float64, threads=1,
    )  # fmt: skip
    found = np.array(image["values"], float).reshape(shape)
    reached = np.isfinite(found)
    assert (reached == ours.reachable).all()
    assert 0.1 < reached.mean() < 0.9
    # the page's grid points may differ in the last bit from linspace's, so values by the slope of a map
    wanted = ours.plane(quantity, pose["working"])
    np.testing.assert_allclose(found[reached], wanted[reached], rtol=1e-9, atol=1e-9 * np.abs(wanted).max())


@pytest.mark.parametrize("name", ["fourbar", "furuta"])
def test_let_go_it_moves_as_the_simulation_does(name, opened):
    """A hundred steps under gravity from rest, then a hundred more: the state of `simulate`, energy kept."""
    model = cc.load(name)
    page = opened(name)
    begin = page.evaluate(POSE)
    for _ in range(2):
        page.get_by_role("button", name="+ 0.1 s").click()
    page.evaluate(SETTLED)
    after = page.evaluate(POSE)
    start = cc.state(model, q=begin["q"], **({"x": begin["x"]} if model.nx else {}))
    still = Constant((0.0,) * len(model.driven), output=natural_inputs(model))
    run = cc.simulate(model, still, start=start, duration=0.2)
    np.testing.assert_allclose(after["q"], run.q[-1], rtol=0, atol=1e-12)
    assert np.abs(np.subtract(after["q"], begin["q"])).max() > 1e-3
    np.testing.assert_allclose(read(page, "time"), 0.2, rtol=1e-12)
    np.testing.assert_allclose(read(page, "kinetic energy"), run.energies[0][-1], rtol=1e-9)
    np.testing.assert_allclose(read(page, "energy less work put in"), run.balance[-1], rtol=1e-6, atol=1e-12)


def test_it_plays_in_real_time_until_it_is_held(opened):
    """The clock runs while it is let go and stands when it is held; Reset goes back to the beginning."""
    page = opened("fourbar")
    begin = page.evaluate(POSE)
    page.get_by_role("button", name="Let go").click()
    page.wait_for_function("() => Number(document.querySelector('data[data-name=time]').value) > 0.1")
    page.get_by_role("button", name="Hold").click()
    page.evaluate(SETTLED)
    at = read(page, "time")
    page.wait_for_timeout(100)
    assert read(page, "time") == at > 0.1
    page.get_by_role("button", name="Reset").first.click()
    page.evaluate(SETTLED)
    assert page.evaluate(POSE)["q"] == begin["q"]


def test_an_embedded_simulation_is_played_and_scrubbed(opened):
    """The last instant is the run's; readouts are those of that configuration; it begins where the run begins."""
    run = scenarios.run("biglide-computed-torque")
    page = opened(run.model.recipe.name, run)
    np.testing.assert_allclose(page.evaluate(POSE)["q"], run.q[0], atol=1e-11)
    page.get_by_role("button", name="To the end").click()
    page.evaluate(SETTLED)
    np.testing.assert_allclose(page.evaluate(POSE)["q"], run.q[-1], atol=1e-11)
    np.testing.assert_allclose(page.evaluate(POSE)["x"], run.x[-1], atol=1e-11)
    page.get_by_role("button", name="To the beginning").click()
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function("() => explorable.puppet.pose.value.q[0] !== explorable.app.told.run.q[0][0]")
    page.get_by_role("button", name="Pause").click()


def test_in_space_the_view_turns_and_the_platform_is_dragged(opened):
    """Arrow keys turn the eye, not the robot; the delta's platform is dragged in the plane that faces the eye."""
    model = cc.load("delta")
    page = opened("delta")
    before = page.evaluate(POSE)
    around = page.evaluate("() => explorable.view.eye.around")
    page.locator("canvas").focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("() => explorable.view.eye.around") != around
    assert page.evaluate(POSE)["x"] == before["x"]
    script = "() => explorable.view.toScreen(explorable.puppet.points()[explorable.puppet.doc.told.scene.tip])"
    at, box = page.evaluate(script), page.locator("canvas").bounding_box()
    page.mouse.move(box["x"] + at[0], box["y"] + at[1])
    page.mouse.down()
    page.mouse.move(box["x"] + at[0] + 15, box["y"] + at[1] - 10, steps=4)
    page.mouse.up()
    page.evaluate(SETTLED)
    np.testing.assert_allclose(page.evaluate(script), [at[0] + 15, at[1] - 10], atol=1e-6)
    check_readouts(page, model)


SCHEMES = [("furuta", "light"), ("triplate", "dark"), pytest.param("triplate", "light", marks=pytest.mark.slow)]
SCHEMES.append(pytest.param("furuta", "dark", marks=pytest.mark.slow))


@pytest.mark.parametrize("name, scheme", SCHEMES)
def test_no_rule_of_wcag_a_or_aa_is_broken(name, scheme, opened):
    """By axe, in both colour schemes."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed in web/")
    page = opened(name, scheme=scheme)
    assert page.locator("html").get_attribute("data-theme") == scheme
    page.evaluate(AXE.read_text(encoding="utf-8"))
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
    found = page.evaluate(f"() => axe.run(document, {json.dumps(rules)})")
    assert [(v["id"], [n["html"][:120] for n in v["nodes"]]) for v in found["violations"]] == []


def test_the_theme_is_changed_by_its_button(opened):
    """Dark colours and back."""
    page = opened("biglide")
    page.get_by_role("button", name="Dark colours").click()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    page.get_by_role("button", name="Light colours").click()
    assert page.locator("html").get_attribute("data-theme") == "light"


def test_a_page_works_inside_another_that_trusts_it_with_nothing(chromium, tmp_path):
    """In an iframe with scripts only, where the browser refuses it a memory: it opens, and the theme still changes."""
    (tmp_path / "page.html").write_text(page_of("biglide"), encoding="utf-8")
    host = tmp_path / "host.html"
    host.write_text('<iframe sandbox="allow-scripts" src="page.html" width="1100" height="700"></iframe>')
    context = chromium.new_context(color_scheme="light")
    page, heard = context.new_page(), []
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.goto(host.as_uri())
    inside = page.frame_locator("iframe")
    inside.get_by_role("button", name="Dark colours").click()
    assert inside.locator("html").get_attribute("data-theme") == "dark"
    assert inside.locator('data[data-name="det A"]').get_attribute("value")
    context.close()
    assert heard == []


def test_the_address_holds_the_state_and_opens_it_again(opened):
    """A drag and a parameter are in the fragment; the page opened with it stands in the same place, with the value."""
    page = opened("biglide")
    drag(page, "tip of the robot", 24, -18)
    page.get_by_label("Map").select_option("det_A")
    page.get_by_label("l value", exact=True).fill("0.4")
    page.get_by_label("l value", exact=True).press("Enter")
    page.wait_for_timeout(400)  # it is written when changes have stopped for 0.2 s
    kept, fragment = page.evaluate(POSE), page.evaluate("location.hash")
    again = opened("biglide", fragment=fragment)
    pose = again.evaluate(POSE)
    np.testing.assert_allclose(pose["x"], kept["x"], atol=1e-8)  # nine digits are written
    assert pose["p"] == kept["p"]
    assert again.get_by_label("Map").input_value() == "det_A"


def test_an_exercise_is_checked_by_the_page_itself(opened):
    """B is reached on one way: done; by another branch, whose det A has the other sign: not done, and it says why."""
    page = opened("biglide", fragment="#exercise=reach:0.05,0.3")
    assert "to go" in page.locator(".verdict").inner_text()
    page.get_by_role("slider", name="tip of the robot").focus()
    x = page.evaluate(POSE)["x"]
    for target in np.linspace(x, [0.05, 0.3], 30)[1:]:
        page.evaluate("x => explorable.puppet.moveTip(x)", target.tolist())
        page.evaluate(SETTLED)
    assert page.locator(".verdict.good").inner_text().startswith("✓ Reached")
    other = opened("biglide", fragment="#exercise=reach:0.05,0.3")
    other.evaluate("explorable.puppet.switchTo(explorable.puppet.others().find((o) => o.kind === 'assembly').pose)")
    other.evaluate(SETTLED)
    assert "crossed a Type 2" in other.locator(".verdict.bad").inner_text()


def test_a_rectangle_in_one_aspect_is_found_by_changing_a_length(opened):
    """x up to 0.3 m is out of reach of bars of 0.3606 m on rails 0.4 m apart; with longer bars all is reached."""
    page = opened("biglide", fragment="#exercise=rectangle:0.1,0.3,0.2,0.3")
    assert "out of reach" in page.locator(".verdict").inner_text()  # 0.3 + 0.2 > 0.3606
    page.get_by_label("l value", exact=True).fill("0.6")
    page.get_by_label("l value", exact=True).press("Enter")
    page.evaluate(SETTLED)
    assert page.locator(".verdict.good").inner_text().startswith("✓ All 441")


def test_a_site_of_robots_is_written_for_any_web_server(tmp_path, chromium):
    """An index with a page for each robot that has one; a linkage is left out, with the reason."""
    written, refused = write_site(tmp_path, ["biglide", "furuta", "pendulum"])
    assert written == ["biglide", "furuta"]
    assert "linkage" in refused["pendulum"]
    page = chromium.new_page()
    page.goto((tmp_path / "index.html").as_uri())
    page.get_by_role("link", name="furuta").click()
    page.wait_for_function(READY)
    assert page.title() == "furuta · closedchain"
    page.close()
