"""Values that a notebook shows by more than their text; how stands far above, and is looked up when one is shown."""

from __future__ import annotations

from closedchain.errors import MissingPackage
from closedchain.extras import bring

home = ""  # the module with `html`, `latex` and `markdown`; the package itself, which knows every layer, names it


class Shown:
    """Jupyter, VS Code and Colab ask a value for its HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        return _as("html", self)


class Formula:
    """A value that is formulas: typeset by whatever shows it."""

    __slots__ = ()

    def _repr_latex_(self) -> str | None:
        return _as("latex", self)

    def _repr_markdown_(self) -> str | None:
        return _as("markdown", self)


def _as(form: str, value: object) -> str | None:
    """None where it cannot be shown so: the text is shown instead."""
    try:
        shown: str | None = getattr(bring(home), form)(value)
    except MissingPackage:
        return None
    return shown
