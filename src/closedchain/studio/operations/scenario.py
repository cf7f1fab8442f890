"""`scenario`: what a scenario's file says, table by table."""

from __future__ import annotations

import json
from typing import Any

from closedchain.describe.files import parse_toml
from closedchain.errors import BadInput
from closedchain.studio.operations.hello import scenario_texts


def scenario(body: dict[str, Any], tell: Any) -> dict[str, Any]:
    """The tables of a scenario that comes with the package, or of a text."""
    source, texts = body["source"], scenario_texts()
    if "\n" not in source and source not in texts:
        raise BadInput(f"no scenario {source[:60]!r}; there are {', '.join(texts)}")
    name = source if source in texts else "scenario"
    document = parse_toml(texts.get(source, source), name)
    told = {key: str(document.get(key, "")) for key in ("about", "origin", "robot")}
    try:
        tables = json.loads(json.dumps(document, default=str, allow_nan=False))
    except ValueError:
        raise BadInput(f"{name}: a number in it is not finite; write one that is") from None
    return {"name": name, **told, "tables": tables}
