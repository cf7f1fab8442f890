"""A motion as a moving picture: .gif always, .mp4 where an encoder is installed."""

from __future__ import annotations

import importlib
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.animation import AbstractMovieWriter, FFMpegWriter, PillowWriter
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from closedchain.errors import BadInput, ClosedChainError
from closedchain.files import atomic_write
from closedchain.model.model import Model
from closedchain.view.drawing import GHOST
from closedchain.view.pictures import canvas, line, paint
from closedchain.view.record import Recording, complete, thinned
from closedchain.view.scene import Scene, stage
from closedchain.view.style import BLACK, GREEN, INK, title

RATE = 25  # frames a second: 40 ms, which GIF's hundredths of a second can state
LONGEST = 3000  # frames
Progress = Callable[[int, int], None]  # frames drawn, frames in all


class NoEncoder(ClosedChainError, RuntimeError):
    """No program that writes MP4 was found."""


def video(
    model: Model,
    record: Recording,
    path: str | Path,
    *,
    rate: int = RATE,
    speed: float = 1.0,
    progress: Progress | None = None,
) -> Path:
    """Write the motion as .gif or .mp4, `rate` frames a second, `speed` times as fast as it was.

    `progress` is told how many frames are drawn, and of how many.
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in (".gif", ".mp4"):
        raise BadInput(f"a video is a .gif or .mp4 file, not {path.name!r:.60}; `animate` writes .html")
    if not (1 <= rate <= 100 and speed > 0.0 and np.isfinite(speed)):
        raise BadInput(f"rate = {rate} must be 1 to 100 frames a second, and speed = {speed:g} positive")
    encoder = find_encoder() if kind == ".mp4" else ""
    whole = complete(model, record)
    count = int(np.floor(whole.duration * rate / speed)) + 1
    if count > LONGEST:
        raise BadInput(
            f"{count} frames are more than {LONGEST}; raise speed above {speed:g} or lower rate below {rate}"
        )
    moments = whole.t[0] + np.arange(count) * speed / rate
    done = thinned(whole, np.searchsorted(whole.t, moments + 1e-9, side="right") - 1)
    scene = stage(model, done.q, done.x, done.q_ref, done.x_ref)
    with tempfile.TemporaryDirectory() as folder, rc_context({"animation.ffmpeg_path": encoder or "ffmpeg"}):
        made = Path(folder) / f"made{kind}"
        _write(_writer(kind, rate), made, scene, done.title, done.t, progress or _silent)
        atomic_write(path, made.read_bytes())
    return path


def find_encoder() -> str:
    """Where ffmpeg is: on the PATH, or in the package imageio-ffmpeg."""
    found = shutil.which("ffmpeg")
    if found is None:
        try:
            found = str(importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe())
        except (ImportError, RuntimeError):
            raise NoEncoder(
                "no ffmpeg was found to write .mp4: install imageio-ffmpeg by pip, or your system's ffmpeg; "
                "or name the file .gif or .html, which need nothing more"
            ) from None
    return found


def _writer(kind: str, rate: int) -> AbstractMovieWriter:
    if kind == ".gif":
        return PillowWriter(fps=rate)
    return FFMpegWriter(fps=rate, codec="h264", extra_args=["-pix_fmt", "yuv420p", "-movflags", "+faststart"])


def _silent(done: int, count: int) -> None:
    """Nobody watches."""


def _write(
    writer: AbstractMovieWriter, path: Path, scene: Scene, words: str, t: np.ndarray, progress: Progress
) -> None:
    """Draw every frame anew on one canvas, so that a frame is exactly the figure of its instant."""
    figure = Figure(figsize=_even(scene), facecolor="white")
    FigureCanvasAgg(figure)
    with writer.saving(figure, str(path), dpi=100):
        for instant in range(len(t)):
            figure.clear()
            title(figure, words)
            axes = canvas(figure, scene)
            axes.set_position((0.01, 0.01, 0.98, 0.92))
            if scene.desired is not None:
                line(axes, scene.desired, BLACK, dashed=True)
            line(axes, scene.path[: instant + 1], GREEN)
            if scene.ghost is not None:
                paint(axes, scene, instant, GHOST, points=scene.ghost[instant])
            paint(axes, scene, instant)
            figure.text(0.99, 0.965, f"t = {t[instant]:.2f} s", ha="right", fontsize=9, color=INK)
            writer.grab_frame()
            progress(instant + 1, len(t))


def _even(scene: Scene) -> tuple[float, float]:
    """Width and height [inches] whose pixels at 100 dpi are even numbers, as H.264 needs."""
    low, high = scene.bounds
    ratio = (
        0.9 if scene.dimension == 3 else (high[1] - low[1] + 0.2 * scene.size) / (high[0] - low[0] + 0.15 * scene.size)
    )
    return 6.4, round(6.4 * float(np.clip(ratio, 0.5, 1.2)) * 50) / 50
