"""The widget in JupyterLab: dragged by the hand, sent by Python, each side knows what the other did."""

import json
import re
import subprocess
import sys

import pytest

pytest.importorskip("jupyterlab")
pytest.importorskip("anywidget")

CELLS = (
    "import closedchain as cc\nrobot = cc.Explorer('biglide')\nrobot",
    "print('dragged to', robot.x, robot.working)",
    "robot.go(x=[0.03, 0.25])",
    "print('sent to', robot.x)",
)


@pytest.fixture
def lab(tmp_path):
    """The address of a JupyterLab with a notebook of these cells."""
    cells = [
        {"cell_type": "code", "execution_count": None, "id": f"c{i}", "metadata": {}, "outputs": [], "source": source}
        for i, source in enumerate(CELLS)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "robot.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    options = [
        "--no-browser",
        "--allow-root",
        "--ServerApp.ip=127.0.0.1",
        "--ServerApp.port=0",
        f"--notebook-dir={tmp_path}",
    ]
    options += ["--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    command = [sys.executable, "-m", "jupyterlab", *options]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    ) as process:
        try:
            found = next(filter(None, (re.search(r"http://127\S+?/lab\?token=\w+", line) for line in process.stderr)))
            base, token = found[0].split("/lab?")
            yield f"{base}/lab/tree/robot.ipynb?{token}"
        finally:
            process.terminate()
            process.wait(30)


@pytest.mark.long
def test_a_robot_is_dragged_in_a_cell_and_sent_from_python(lab, chromium, tmp_path):
    """The hand moves it and Python prints where; Python moves it and the page shows where."""
    context = chromium.new_context(viewport={"width": 1400, "height": 1000})
    context.set_default_timeout(120_000)  # [ms] a kernel has to start, on a busy computer
    page = context.new_page()
    page.goto(lab)
    cells = page.locator(".jp-Notebook .jp-CodeCell")

    def run(number):
        cells.nth(number).locator(".jp-InputArea-editor").click()
        page.keyboard.press("Control+Enter")

    run(0)
    page.wait_for_selector(".jp-OutputArea iframe[title='a robot to be dragged']")
    frame = page.locator(".jp-OutputArea iframe").element_handle().content_frame()
    frame.wait_for_function("() => window.explorable && explorable.puppet.facts.value")
    page.locator(".jp-OutputArea iframe").scroll_into_view_if_needed()
    box = frame.get_by_role("slider", name="tip").locator(".hit").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 30, y - 20, steps=5)
    page.mouse.up()
    there = frame.evaluate("() => explorable.puppet.pose.value.x")
    assert abs(there[0]) > 0.01
    page.screenshot(path=tmp_path / "jupyterlab.png")
    run(1)
    cells.nth(1).get_by_text("dragged to").wait_for()
    said = cells.nth(1).locator(".jp-OutputArea-output").inner_text()
    assert [float(v) for v in re.findall(r"-?\d[\d.e-]*", said)] == pytest.approx(there, abs=1e-15)
    run(2)
    frame.wait_for_function("() => explorable.puppet.pose.value.x.join() === '0.03,0.25'")
    run(3)
    cells.nth(3).get_by_text("sent to [0.03, 0.25]").wait_for()
    context.close()
