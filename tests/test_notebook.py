"""The notebook of the documents' exercises runs from top to bottom in a kernel of its own."""

import re
from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")
pytest.importorskip("anywidget")

NOTEBOOK = Path(__file__).parents[1] / "examples/13_notebook/exercises.ipynb"
OURS = (
    "ignore::DeprecationWarning",
    "ignore::RuntimeWarning",
    "ignore::ResourceWarning",
)  # of the kernel's own libraries


@pytest.mark.filterwarnings(*OURS)
def test_the_exercises_run_from_top_to_bottom(tmp_path):
    """Every assertion in it holds, and what its cells end with is shown: drawn, tabled, typeset, to be dragged."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": tmp_path}}).execute()
    shown = [output["data"] for cell in notebook.cells for output in cell.get("outputs", ()) if "data" in output]
    assert sum("data:image/svg+xml" in data.get("text/html", "") for data in shown) >= 8
    assert any("text/latex" in data for data in shown)
    assert any("application/vnd.jupyter.widget-view+json" in data for data in shown)


def test_the_committed_notebook_has_no_outputs():
    """What a run prints is not the source."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code
    assert not any(cell.outputs or cell.execution_count for cell in code)
    assert {"1", "2", "3"} == set(re.findall(r"^## (\d)", "\n".join(c.source for c in notebook.cells), re.MULTILINE))
