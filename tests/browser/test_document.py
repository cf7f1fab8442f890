"""One's work in the studio: nothing is lost without a word, every step can be taken back, Back goes back."""

import urllib.request

from tests.browser.serving import end, serve
from tests.browser.writing import put_text, text_of

OWN = """schema = "closedchain.mechanism/1"
name = "mine"
output = "C"
[parameters]
l = { value = 0.3, unit = "m" }
[points]
C = { free = true, mass = 1 }
[drives.q1]
slider = { at = [-0.1, 0], along = [0, 1] }
mass = 1
point = "A1"
[drives.q2]
slider = { at = [0.1, 0], along = [0, 1] }
mass = 1
point = "A2"
[[bars]]
between = ["A1", "C"]
length = "l"
[[bars]]
between = ["A2", "C"]
length = "l"
"""


def tab(page, title):
    """Go to a screen by its tab."""
    page.get_by_role("navigation", name="screens").get_by_text(title, exact=True).click()
    page.wait_for_selector(f".screen.{title.lower()}")


def test_a_drag_is_one_step_that_is_taken_back_and_again(walk):
    """After a drag of many moves one Undo puts every digit back, one Redo brings it again; keys do the same."""
    page = walk.open("explore", "biglide")
    page.wait_for_selector(".readout dd.good")
    first = walk.state("x")
    walk.drag(".handle.tip .seen", 30, 20)
    second = walk.state("x")
    walk.drag(".handle.tip .seen", 20, -10)
    third = walk.state("x")
    page.get_by_role("button", name="Undo").click()
    walk.until("JSON.stringify(studio.state.value.x) === JSON.stringify(a[0])", second)
    page.keyboard.press("Control+z")
    walk.until("JSON.stringify(studio.state.value.x) === JSON.stringify(a[0])", first)
    assert page.get_by_role("button", name="Undo").is_disabled()
    page.keyboard.press("Control+Shift+z")
    page.get_by_role("button", name="Redo").click()
    walk.until("JSON.stringify(studio.state.value.x) === JSON.stringify(a[0])", third)
    assert page.get_by_role("button", name="Redo").is_disabled()
    walk.until("Math.abs(document.querySelector('.handle.tip').getAttribute('aria-valuenow') - a[0]) < 1e-4", third[0])


def test_a_parameter_and_a_path_are_taken_back_on_any_screen(walk):
    """Undo goes to the screen on which the step was made, and to the robot as it was there."""
    page = walk.open("explore", "biglide")
    page.get_by_label("l value").fill("0.4")
    page.get_by_label("l value").press("Enter")
    walk.until("studio.robot.value.told.parameters.find((p) => p.name === 'l').value === 0.4")
    page.wait_for_timeout(900)
    tab(page, "Define")
    page.get_by_role("button", name="Undo").click()
    page.wait_for_selector(".screen.explore")
    walk.until("studio.robot.value.told.parameters.find((p) => p.name === 'l').value === 0.3606")


def test_back_and_forward_go_between_screens_and_robots(walk):
    """Back from Define is Explore, back from another robot is the one before; the studio is not left."""
    page = walk.open("explore", "biglide")
    page.wait_for_selector(".handle.tip")
    tab(page, "Define")
    page.select_option("#robot", "fivebar")
    walk.until("studio.robot.value.told.name === 'fivebar'")
    page.go_back()
    walk.until("studio.robot.value.told.name === 'biglide'")
    assert walk.state("screen") == "define"
    page.go_back()
    page.wait_for_selector(".screen.explore")
    page.go_forward()
    page.wait_for_selector(".screen.define")
    assert 'name = "biglide"' in text_of(page)


def test_a_text_that_is_being_written_is_there_again(walk):
    """Another screen, and a page that is loaded anew, lose no letter; Revert and Undo are ways back."""
    page = walk.open("define", "biglide")
    page.wait_for_selector(".status.good")
    put_text(page, OWN)
    page.wait_for_selector("text=mine: 2 drives")
    tab(page, "Explore")
    tab(page, "Define")
    assert text_of(page) == OWN
    page.wait_for_timeout(400)
    page.goto("about:blank")
    page.goto(walk.address)
    page.wait_for_selector(".screen.define")
    assert text_of(page) == OWN


def test_a_robot_of_ones_own_stays_in_the_list(walk):
    """After another robot, and in a page that is loaded anew, it can be chosen again as it was."""
    page = walk.open("define", "biglide")
    page.wait_for_selector(".status.good")
    put_text(page, OWN)
    page.wait_for_selector("text=mine: 2 drives")
    page.get_by_role("button", name="Open in the studio").click()
    page.wait_for_selector(".screen.explore")
    page.select_option("#robot", "fivebar")
    walk.until("studio.robot.value.told.name === 'fivebar'")
    page.reload()
    page.wait_for_selector(".handle.tip")
    page.select_option("#robot", label="mine (own)")
    walk.until("studio.robot.value.told.name === 'mine'")
    assert page.evaluate("studio.robot.value.ref.toml") == OWN


def test_a_robot_is_saved_into_the_workspace_and_opened_from_there(walk):
    """Save writes NAME.toml; it stands in the list of robots; an existing file is replaced only after a yes."""
    page = walk.open("define", "biglide")
    page.wait_for_selector(".status.good")
    put_text(page, OWN.replace("mine", "shelved"))
    page.wait_for_selector("text=shelved: 2 drives")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_selector("text=shelved.toml is in the workspace")
    walk.until("[...document.querySelectorAll('#robot option')].some((o) => o.textContent === 'shelved.toml')")
    asked = []
    page.once("dialog", lambda box: (asked.append(box.message), box.dismiss()))
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_timeout(500)
    assert asked == ["shelved.toml is in the workspace already. Replace it?"]
    page.select_option("#robot", label="shelved.toml")
    walk.until("studio.robot.value.told.name === 'shelved'")


def test_while_a_robot_is_on_its_way_the_old_one_is_covered(walk):
    """The new name never stands over the old robot's picture: a cover says what is being opened."""
    page = walk.open("explore", "biglide")
    page.wait_for_selector(".handle.tip")
    told = page.evaluate("""() => { const select = document.querySelector("#robot");
      select.value = "rrr3"; select.dispatchEvent(new Event("change"));
      return [document.querySelector(".veil").hidden, document.querySelector(".veil").textContent]; }""")
    assert told == [False, "Opening rrr3…"]
    walk.until("studio.robot.value.told.name === 'rrr3' && document.querySelector('.veil').hidden")


def test_the_first_sight_says_what_is_awaited(studio):
    """The page itself, before any script has run, is not blank."""
    with urllib.request.urlopen(studio.split("#")[0]) as answer:
        assert "Opening the robot…" in answer.read().decode()


def test_without_a_server_no_number_is_called_good(browse, tmp_path):
    """Margins that nobody answers for are not shown; they come back with the server."""
    address, process = serve(0, tmp_path)
    walk = browse(address)
    page = walk.open("explore", "biglide")
    page.wait_for_selector(".readout dd.good")
    end(process)
    page.wait_for_selector(".lamp[data-link=lost]")
    walk.until("document.querySelectorAll('.readout dd.good, .readout dd.warn').length === 0")
    walk.problems.clear()  # of the connection that was ended
    port = int(address.split(":")[2].split("/")[0])
    _, process = serve(port, tmp_path)
    page.wait_for_selector(".readout dd.good")
    page.close()  # first: its next attempt to connect would be a problem that is heard later
    end(process)
    walk.problems.clear()
