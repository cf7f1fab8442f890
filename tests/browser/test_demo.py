"""The demo's report opened from file://: the robot in it can be dragged."""

from closedchain.cli import demo
from closedchain.cli.demo_report import tell

TIP = "explorable.puppet.pose.value.x[0]"


def test_the_robot_in_the_report_follows_the_hand(chromium, tmp_path):
    """Its kernels run inside the report; nothing is requested, nothing complains."""
    file, heard = tell(demo.gather(lambda _: None), tmp_path / "demo.html"), []
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(30_000)  # [ms] on a busy computer
    page = context.new_page()
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("request", lambda request: request.url in (file.as_uri(), "about:srcdoc") or heard.append(request.url))
    page.goto(file.as_uri())
    inside = page.frames[1]
    inside.wait_for_function("() => window.explorable && explorable.puppet.facts.value")
    page.locator("iframe").scroll_into_view_if_needed()
    before = inside.evaluate(TIP)
    box = inside.get_by_role("slider", name="tip").locator(".hit").bounding_box()
    at = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(*at)
    page.mouse.down()
    page.mouse.move(at[0] + 40, at[1], steps=6)
    page.mouse.up()
    inside.wait_for_function(f"before => {TIP} > before + 0.01", arg=before)
    page.screenshot(path=tmp_path / "demo.png")
    context.close()
    assert [line for line in heard if not line.startswith("data:")] == []
