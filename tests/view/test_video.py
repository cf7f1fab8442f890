"""Moving pictures that other programs can open."""

import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from closedchain.errors import BadInput
from closedchain.view.video import NoEncoder, find_encoder, video
from tests.view.motions import ellipse, near


def encoder() -> str:
    """Return the ffmpeg that is here, or nothing."""
    try:
        return find_encoder()
    except NoEncoder:
        return ""


@pytest.mark.parametrize("name", ["biglide", "delta"])
def test_a_gif_has_a_frame_for_every_instant(name: str, tmp_path: Path) -> None:
    """2 s at 5 frames a second are 11 frames of 200 ms, both ends included, and they differ."""
    model, record = near(name)
    with Image.open(video(model, record, tmp_path / "a.gif", rate=5)) as image:
        assert image.format == "GIF"
        assert image.n_frames == 11  # type: ignore[attr-defined]
        assert image.info["duration"] == 200
        first = image.convert("RGB").tobytes()
        image.seek(3)
        assert image.convert("RGB").tobytes() != first
    assert [p.name for p in tmp_path.iterdir()] == ["a.gif"]


@pytest.mark.skipif(not encoder(), reason="no ffmpeg here")
def test_an_mp4_can_be_decoded(tmp_path: Path) -> None:
    """The encoder reads back as many frames as were drawn."""
    model, record = ellipse(50)
    path = video(model, record, tmp_path / "a.mp4", rate=5)
    done = subprocess.run(
        [encoder(), "-i", str(path), "-f", "null", "-"], capture_output=True, text=True, timeout=60, check=True
    )
    assert "frame=   16" in done.stderr


def test_without_an_encoder_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """And which endings need nothing."""
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    model, record = ellipse(5)
    with pytest.raises(NoEncoder, match=r"imageio-ffmpeg.*\.gif or \.html"):
        video(model, record, tmp_path / "a.mp4")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "name, options, words",
    [
        ("a.avi", {}, r"\.gif or \.mp4"),
        ("a.gif", {"rate": 0}, "rate = 0"),
        ("a.gif", {"speed": -1.0}, "speed = -1"),
        ("a.gif", {"speed": 1e-5}, "more than 3000"),
    ],
)
def test_impossible_videos_are_refused(name: str, options: dict[str, float], words: str, tmp_path: Path) -> None:
    """Before anything is drawn."""
    model, record = ellipse(5)
    with pytest.raises(BadInput, match=words):
        video(model, record, tmp_path / name, **options)  # type: ignore[arg-type]


def test_whoever_watches_is_told_every_frame(tmp_path: Path) -> None:
    """From the first to the last, and how many there are."""
    model, record = near("biglide")
    told: list[tuple[int, int]] = []
    video(model, record, tmp_path / "a.gif", rate=2, progress=lambda done, count: told.append((done, count)))
    assert told == [(k, 5) for k in range(1, 6)]
