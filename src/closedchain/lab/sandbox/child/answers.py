"""What a function returned, as JSON can carry it: numbers in lists, and a word for everything else."""

from __future__ import annotations

from typing import Any

LARGEST = 64  # numbers in one answer; the models return six at most
DEEPEST = 6


def plain(value: Any, depth: int = 0) -> Any:
    """Lists of floats; {"complex": …} or {"type": …} for what is no real number."""
    if depth > DEEPEST:
        return {"type": "something nested too deeply"}
    if hasattr(value, "tolist"):
        value = value.tolist() if getattr(value, "size", 1) <= LARGEST else None
    if isinstance(value, list | tuple):
        return [plain(item, depth + 1) for item in list(value)[:LARGEST]]
    if value is None or isinstance(value, str | bytes | dict):
        return {"type": type(value).__name__}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    try:
        return float(value)
    except Exception:
        return {"type": type(value).__name__[:60]}
