"""A Matplotlib backend without windows: figures that a script shows are kept as pictures, and nothing waits.

Drawing is put off until someone looks: a script that redraws at every step costs no more than one that does not.
"""

import io
from typing import Any

from matplotlib import is_interactive
from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from closedchain_lab.session import Picture, current


class Canvas(FigureCanvasAgg):
    """Draws when it is looked at, saved or captured."""

    manager_class: Any

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
            capture()


def capture() -> None:
    """Keep every open figure as a picture, and close it."""
    for manager in Gcf.get_all_fig_managers():
        figure: Figure = manager.canvas.figure
        if current().keeps and (figure.axes or figure.texts or figure.images):
            stream = io.BytesIO()
            # an animation begins with the first drawing
            manager.canvas.buffer_rgba()  # type: ignore[attr-defined]
            figure.savefig(stream, format="png")
            words = [figure.get_suptitle(), figure.get_label(), *(axes.get_title() for axes in figure.axes)]
            title = next((str(word) for word in words if word), "")  # what the figure calls itself
            current().pictures.append(Picture(title, stream.getvalue()))
        Gcf.destroy(manager)


Canvas.manager_class = Manager
FigureCanvas, FigureManager = Canvas, Manager  # by these names Matplotlib finds them
