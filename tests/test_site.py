"""The documentation site: it builds without a warning, holds every page, needs no network, and shows what happens."""

import contextlib
import importlib.util
import io
import re
import shlex
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

import closedchain
from closedchain.cli import main, parser
from docs import docstrings, generated, live, written

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
LESSONS = [DOCS / "start.md", *sorted((DOCS / "tutorials").glob("*.md")), DOCS / "paper/paper.md"]
STEP = re.compile(r"^```(python|console|sh)\n(.*?)^```$(?:\n+```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
SMALL = re.compile(r"\b\d(\.\d+)?e[-+]\d\d\b")  # the sizes of rounding errors, which differ between platforms
LOADS = {
    "script": "src",
    "img": "src",
    "link": "href",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "object": "data",
}
ELSEWHERE = re.compile(r"^(https?:)?//")


class Page(HTMLParser):
    """What a page is called by, links to and loads."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loaded, self.outline = set(), [], [], []
        self._depth = 0  # inside the sidebar
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.ids.add(values.get("id"))
        if "sidebar-tree" in (values.get("class") or "") or self._depth:
            self._depth += tag == "div"
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
            if self._depth:
                self.outline.append(values["href"])
        if tag in LOADS and LOADS[tag] in values:
            self.loaded.append(values[LOADS[tag]])
        self.loaded += [text.split()[0] for text in (values.get("srcset") or "").split(",") if text.strip()]
        self.loaded += css_loads(values.get("style") or "")

    def handle_endtag(self, tag):
        if self._depth and tag == "div":
            self._depth -= 1


def css_loads(text):
    """What a style sheet fetches; pictures that are part of it do not count."""
    found = re.findall(r"(?:url\(|@import)\s*[\"']?([^\"')\s;]+)", text)
    return [target for target in found if not target.startswith("data:")]


def starter():
    """start.py as a module, with this Python in the place of that of .venv."""
    spec = importlib.util.spec_from_file_location("start_of_site", ROOT / "start.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.PYTHON = Path(sys.executable)
    return module


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The site as `python3 start.py docs FOLDER` makes it: the finished process and the folder."""
    folder = tmp_path_factory.mktemp("site")
    start, done = starter(), []

    def run(*words):
        command = [str(word) for word in words]
        command[command.index("-d") + 1] = str(folder / "trees")
        done.append(subprocess.run(command, capture_output=True, text=True, env=start.environment(), check=False))
        return done[0].returncode

    start.run = run
    start.build_site(str(folder / "html"))
    return done[0], folder / "html"


@pytest.fixture(scope="module")
def pages(built):
    """Every page of the site, by its path."""
    return {path: Page(path.read_text(encoding="utf-8")) for path in sorted(built[1].rglob("*.html"))}


@pytest.mark.parametrize("page", list(written.pages()), ids=lambda p: p.stem)
def test_the_reference_in_the_repository_is_up_to_date(page):
    """What stands between the marks is what `python docs/written.py` writes; line breaks may differ between Pythons."""
    if page.stem == "commands" and sys.version_info >= (3, 13):
        pytest.skip("from 3.13 on argparse tells an option of two names and its value in fewer words")
    source = page.read_text(encoding="utf-8")
    assert source.split() == written.written(source).split(), "run `python docs/written.py`"


def test_the_reference_pages_hold_every_public_name_and_command():
    """They are text for whoever reads the checkout, not marks to be filled elsewhere."""
    assert {p.stem for p in written.pages()} == {"commands", "python", "python-packages"}
    names = (DOCS / "reference" / "python.md").read_text("utf-8")
    assert all(f"### `{name}`" in names for name in closedchain.__all__)
    commands = (DOCS / "reference" / "commands.md").read_text("utf-8")
    assert all(f"## `{name}`" in commands for name, _ in generated.choices(parser.build()))


def test_the_site_builds_without_a_warning(built):
    """Sphinx treats each as an error: a dead reference, a page in no table of contents, a docstring it cannot read."""
    assert built[0].returncode == 0, built[0].stderr
    assert built[0].stderr.strip() == ""


def test_every_page_of_the_folder_is_in_the_sidebar(built, pages):
    """Nobody keeps a list: a page that was written is found."""
    outline = pages[built[1] / "index.html"].outline
    wanted = {path.relative_to(DOCS).with_suffix(".html").as_posix() for path in DOCS.rglob("*.md")} - {"index.html"}
    assert len(wanted) > 30
    assert wanted <= set(outline)
    assert len(outline) == len(set(outline)), "a page stands twice"


def test_nothing_is_loaded_from_elsewhere(built, pages):
    """No font, script, style or picture comes from another host, so the site works on a plane."""
    loaded = [(path.name, target) for path, page in pages.items() for target in page.loaded]
    sheets = list(built[1].rglob("*.css"))
    loaded += [(sheet.name, target) for sheet in sheets for target in css_loads(sheet.read_text(encoding="utf-8"))]
    assert len(loaded) > 100
    assert sheets
    assert not [where for where in loaded if ELSEWHERE.match(where[1])]


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://cdn.example/m.js"></script>',
        '<link rel="stylesheet" href="//fonts.example/a.css">',
        '<img srcset="https://pictures.example/a.png 2x">',
        '<p style="background: url(https://pictures.example/b.png)">',
    ],
)
def test_a_fetch_from_elsewhere_would_be_found(text):
    """Or the test above would be green for ever."""
    assert ELSEWHERE.match(Page(text).loaded[0])


def test_every_link_inside_the_site_leads_somewhere(built, pages):
    """Files exist, and so do the headings that links name."""
    tried = 0
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link == "#":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.exists(), f"{path.name}: {link}"
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].ids, f"{path.name}: {link}"
            tried += 1
    assert tried > 1000


def test_robots_stand_in_the_pages_in_the_state_that_their_words_tell(built, pages):
    """On the first page and in every tutorial; what a frame shows is there."""
    for page in ("index.html", "tutorials/1-biglide.html", "tutorials/2-triplate.html", "tutorials/3-furuta.html"):
        frames = [target for target in pages[built[1] / page].loaded if "robots/" in target]
        assert frames, page
        assert all((built[1] / page).parent.joinpath(urlsplit(frame).path).exists() for frame in frames)
    first = urlsplit(next(target for target in pages[built[1] / "index.html"].loaded if "robots/" in target))
    assert parse_qs(first.fragment) == {"robot": ["biglide"], "set": ['{"map": "det_A"}']}


def test_words_of_a_robot_are_its_state_or_an_error():
    """Map, parameters, place and exercise go into the address; what no robot has is refused."""
    told = parse_qs(live.fragment("biglide", ["l=0.4", "x=0.03,0.25", "map=reach", "exercise=reach:0.05,0.3"]))
    assert told["p.l"] == ["0.4"]
    assert told["x"] == ["0.03,0.25"]
    assert told["set"] == ['{"map": "reach"}']
    assert told["exercise"] == ["reach:0.05,0.3"]
    for name, words in (("nobot", []), ("biglide", ["map=detC"]), ("biglide", ["x=1"]), ("biglide", ["mass=3"])):
        with pytest.raises(ValueError, match=r"none of|no robot"):
            live.fragment(name, words)


def test_the_reference_has_every_command_and_option(built):
    """Made from the parser, so it cannot lag behind."""
    text = (built[1] / "reference/commands.html").read_text(encoding="utf-8")
    for name in parser.COMMANDS:
        assert f'<section id="{name}">' in text
    for option in ("--q-ddot", "--end-working", "--animate", "--timeout"):
        assert option in text


def test_the_reference_has_every_public_name(built, pages):
    """Of the package itself, and of the packages that say what is public in them."""
    ids = pages[built[1] / "reference/python.html"].ids | pages[built[1] / "reference/python-packages.html"].ids
    for name in set(closedchain.__all__) - {"verify"}:
        assert f"closedchain.{name}" in ids
    assert "closedchain.verify.verify" in ids  # what `closedchain.verify` calls
    for module in generated.packages():
        for name in module.__all__:
            assert any(found and found.endswith(f".{name}") for found in ids), f"{module.__name__}.{name}"


def test_a_page_that_the_index_places_but_nobody_wrote_is_an_error():
    """A page that was renamed does not vanish from the sidebar in silence."""
    with pytest.raises(ValueError, match="not-a-page"):
        generated.pages("start", "not-a-page")


@pytest.mark.parametrize(
    "plain, translated",
    [
        ("φ = |P − A|² and x_ is *not* markup.", "φ = \\|P − A\\|² and x\\_ is \\*not\\* markup.\n"),
        ("Of `a|b` and `State`s.", "Of `a|b` and `State`\\ s.\n"),
        ("An equation:\n\n    τ = M q̈ | c\n\nand more.", "An equation:\n\n::\n\n    τ = M q̈ | c\n\nand more.\n"),
    ],
)
def test_docstrings_are_read_as_plain_text(plain, translated):
    """Bars, stars and underscores are what they are; code stays code; equations keep their lines."""
    assert docstrings.translate(plain) == translated


def do(kind, body, namespace):
    """What one step of a lesson prints: a Python block, or one command line."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
        if kind == "python":
            exec(compile(body, "lesson", "exec"), namespace)  # noqa: S102 (our own pages)
        else:
            (line,) = body.splitlines()
            main(shlex.split(line.removeprefix("$ ").removeprefix("closedchain ")))
    return printed.getvalue()


@pytest.mark.parametrize("page", LESSONS, ids=lambda page: page.stem)
def test_a_lesson_shows_what_a_beginner_will_see(page, monkeypatch, tmp_path):
    """Each text block is what the step before it prints; only the sizes of rounding errors are not compared."""
    monkeypatch.chdir(tmp_path)
    namespace, compared = {"__name__": "page"}, 0
    for kind, body, shown in STEP.findall(page.read_text(encoding="utf-8")):
        if kind == "python" or shown:
            printed = do(kind, body, namespace)
        if shown:
            assert SMALL.sub("#", printed) == SMALL.sub("#", shown)
            compared += 1
    assert compared >= 1


def test_the_citation_names_this_release():
    """CITATION.cff has the keys its format requires, and says what version.py and pyproject.toml say."""
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    cited = dict(re.findall(r'^([a-z-]+): "?(.*?)"?$', text, re.MULTILINE))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert cited["cff-version"] == "1.2.0"
    assert cited["message"]
    assert cited["title"] == project["name"]
    assert cited["version"] == closedchain.__version__
    assert cited["license"] == project["license"]
    assert cited["abstract"] == project["description"]
    assert re.findall(r'^  - name: "(.*)"$', text, re.MULTILINE) == [one["name"] for one in project["authors"]]
