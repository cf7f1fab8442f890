"""A report is one page: everything in it, nothing escapes from it."""

import base64
from pathlib import Path

import pytest

from closedchain.errors import BadInput
from closedchain.view.figures import figure_tracking
from closedchain.view.markup import Heading, Paragraphs, inline, parse
from closedchain.view.report import Report, Section, report
from tests.view.motions import ellipse, near
from tests.view.reading import assert_self_contained, payloads, read

HOSTILE = "</script><script>alert(1)</script>"


def test_a_report_holds_text_tables_figures_and_animations(tmp_path: Path) -> None:
    """One file, with contents that lead to its headings; two animations share one script."""
    model, record = ellipse(50)
    made = Report("All of it").text("# First\nSome *words*.\n# First\n## Deeper")
    made = made.table(["a", "b"], [["x", 1.5], ["y", -2]], "numbers").figure(figure_tracking(model, record), "errors")
    path = made.animation(model, record, "moving").animation(*near("delta")).code("1 < 2").save(tmp_path / "r.html")
    text = path.read_text(encoding="utf-8")
    assert_self_contained(text)
    reader = read(text)
    links = [a["href"] for a, _ in reader.all("a")]
    anchors = [a["id"] for tag in ("h2", "h3", "h4") for a, _ in reader.all(tag) if "id" in a]
    assert links == ["#first", "#first-2", "#deeper"]
    assert anchors == ["first", "first-2", "deeper"]
    assert len(payloads(reader)) == 2
    assert len([a for a, _ in reader.all("script") if not a]) == 1
    assert [text for a, text in reader.all("td") if a] == ["1.5", "−2"]
    (image,) = reader.all("img")
    kind, _, data = (image[0]["src"] or "").partition(";base64,")
    assert kind == "data:image/svg+xml"
    assert b"</svg>" in base64.b64decode(data)
    assert image[0]["alt"] == "errors"


def test_a_report_without_motion_has_no_script() -> None:
    """Nothing to run, so nothing may run."""
    text = Report("still").text("words").html()
    assert_self_contained(text)
    assert "script-src 'none'" in text
    assert "<nav" not in text


def test_hostile_words_stay_text_everywhere() -> None:
    """Title, heading, text, table, captions and code."""
    model, record = ellipse(5)
    made = Report(HOSTILE).text(f"# {HOSTILE}\n{HOSTILE}\n- {HOSTILE}\n```\n{HOSTILE}\n```").code(HOSTILE)
    made.table([HOSTILE], [[HOSTILE]], HOSTILE).figure(figure_tracking(model, record), f'" onload="{HOSTILE}')
    text = made.html()
    assert_self_contained(text)
    reader = read(text)
    assert not reader.all("script")
    for tag in ("title", "h1", "h2", "p", "li", "th", "td", "caption"):
        assert any(HOSTILE in words for _, words in reader.all(tag)), tag
    assert [words for _, words in reader.all("code")] == [HOSTILE, HOSTILE]


def test_a_row_of_another_length_is_refused() -> None:
    """Counted from zero, as Python's rows are."""
    with pytest.raises(BadInput, match="row 1 of the table has 1 cells under 2 headers"):
        Report("r").table(["a", "b"], [[1, 2], [1]])


def test_sections_are_written_by_the_function_too(tmp_path: Path) -> None:
    """`report` is what `Report.save` calls; another ending is refused."""
    text = report([Section("<p>made</p>")], tmp_path / "r.html", title="t").read_text(encoding="utf-8")
    assert read(text).all("p") == [({}, "made")]
    with pytest.raises(BadInput, match=r"\.html"):
        report([], tmp_path / "r.pdf")


def test_markup_becomes_the_elements_it_names() -> None:
    """By hand: headings, a paragraph over two lines, both kinds of list, a fenced block that hides its marks."""
    parts = list(parse("# One\na\nb **c**\n\n- d\n- e\n  f\n1. g\n```\n# not a heading\n```\n### Three"))
    assert parts == [
        Heading(1, "One"),
        Paragraphs(
            "<p>a b <strong>c</strong></p>\n<ul><li>d</li><li>e f</li></ul>\n<ol><li>g</li></ol>\n"
            "<pre><code># not a heading</code></pre>"
        ),
        Heading(3, "Three"),
    ]


def test_links_lead_only_where_links_may() -> None:
    """A script's address stays text; marks inside code are code."""
    assert inline("[a](#b)") == '<a href="#b" rel="noreferrer">a</a>'
    assert inline("[a](javascript:alert(1))") == "[a](javascript:alert(1))"
    assert inline('[a](https://b.c/"onclick=")') == "[a](https://b.c/&quot;onclick=&quot;)"
    assert inline("`**a**` 2*3*4 < 5") == "<code>**a**</code> 2<em>3</em>4 &lt; 5"
