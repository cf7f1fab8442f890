"""`closedchain equations`: a robot's equations as formulas."""

from __future__ import annotations

from closedchain.cli.output import document, print_json
from closedchain.cli.parser import Arguments
from closedchain.cli.values import robot
from closedchain.export.latex import latex, markdown, text


def run(args: Arguments) -> int:
    """Print the equations as Markdown, as a LaTeX document or as text; the parameters stay symbols."""
    model = robot(args, assembled=False)
    source = {"markdown": markdown, "latex": latex, "text": text}[args.format](model.equations)
    if args.json:
        print_json(document("equations", model, format=args.format, source=source))
    else:
        print(source, end="")
    return 0
