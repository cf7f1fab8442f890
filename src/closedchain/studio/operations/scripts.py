"""`javascript`: a robot's kernels as the text of an ES module."""

from __future__ import annotations

from typing import Any

from closedchain.export import javascript as writer
from closedchain.studio.operations.loading import model_of


def javascript(body: dict[str, Any], tell: Any) -> dict[str, Any]:
    """The module of a request's robot; parameters stay inputs of its kernels."""
    return {"text": writer.javascript(model_of(body["robot"]))}
