"""A Matplotlib backend without windows: figures that a script shows are kept as pictures, and nothing waits.

Drawing is put off until someone looks: a script that redraws at every step costs no more than one that does not.
"""

from __future__ import annotations

import io
from typing import Any, ClassVar

from matplotlib import is_interactive
from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase, TimerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from closedchain.lab.events import run_timers
from closedchain.lab.session import Picture, current

ENOUGH = 100  # frames of an animation without an end


class Ticker(TimerBase):
    """A timer of a figure, such as an animation's: it goes off by the run's clock while the figure is shown."""

    due, left = 0.0, 0  # [s] when, and how often still
    showing: ClassVar[list[Ticker]] = []  # those that count

    def _timer_start(self) -> None:
        self.due, self.left = current().clock.now() + self.interval / 1000, self._most()
        if self not in self.showing:
            self.showing.append(self)

    def _timer_stop(self) -> None:
        if self in self.showing:
            self.showing.remove(self)

    def _most(self) -> int:
        """An animation is looked at once, to its end if it has one."""
        owners = (getattr(callback, "__self__", None) for callback, *_ in self.callbacks)
        return next((n for owner in owners if (n := getattr(owner, "_save_count", None))), ENOUGH)

    def go_off(self) -> None:
        """Its time has come."""
        self.due += self.interval / 1000
        self.left -= 1
        self._on_timer()  # type: ignore[attr-defined]
        if self.left <= 0:
            self.stop()


class Canvas(FigureCanvasAgg):
    """Draws when it is looked at, saved or captured."""

    manager_class: Any
    _timer_cls = Ticker
    moves = False  # a timer was asked for

    def new_timer(self, *args: Any, **kwargs: Any) -> Any:
        """A timer of this figure."""
        self.moves = True
        return super().new_timer(*args, **kwargs)

    def draw(self, *args: Any, **kwargs: Any) -> None:
        """Nobody sees it yet."""

    def draw_idle(self, *args: Any, **kwargs: Any) -> None:
        """Nobody sees it yet."""

    def buffer_rgba(self) -> memoryview:
        """The pixels, drawn now."""
        FigureCanvasAgg.draw(self)  # type: ignore[no-untyped-call]
        return super().buffer_rgba()  # type: ignore[no-untyped-call]

    def start_event_loop(self, timeout: float = 0) -> None:
        """`plt.pause`: that time passes on the script's clock."""
        current().clock.sleep(max(timeout, 0.0))

    def stop_event_loop(self) -> None:
        """There is none."""


class Manager(FigureManagerBase):
    """Where a window would be."""

    @classmethod
    def pyplot_show(cls, *, block: bool | None = None) -> None:
        """`plt.show()`: the figures are kept and closed, as by someone who looked at them; not in interactive mode."""
        if block or (block is None and not is_interactive()):
            play()
            capture()


def play() -> None:
    """Every animation of an open figure from its beginning, which is when it is first drawn, to its end."""
    Ticker.showing.clear()
    for manager in Gcf.get_all_fig_managers():
        if isinstance(manager.canvas, Canvas) and manager.canvas.moves:
            manager.canvas.buffer_rgba()
    try:
        run_timers(lambda: Ticker.showing, lambda: True)
    finally:
        Ticker.showing.clear()


def capture() -> None:
    """Keep every open figure as a picture, and close it."""
    for manager in Gcf.get_all_fig_managers():
        figure: Figure = manager.canvas.figure
        if current().keeps and (figure.axes or figure.texts or figure.images):
            stream = io.BytesIO()
            figure.savefig(stream, format="png")
            current().pictures.append(Picture(title(figure), stream.getvalue()))
        Gcf.destroy(manager)


def title(figure: Figure) -> str:
    """What the figure calls itself: its own title, its window's, or that of its first axes that has one."""
    words = [figure.get_suptitle(), figure.get_label(), *(axes.get_title() for axes in figure.axes)]
    return next((str(word) for word in words if word), "")


Canvas.manager_class = Manager
FigureCanvas, FigureManager = Canvas, Manager  # by these names Matplotlib finds them
