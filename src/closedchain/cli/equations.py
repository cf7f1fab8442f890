"""`closedchain equations`: a robot's equations as formulas."""

from __future__ import annotations

from closedchain.cli.output import document, print_json
from closedchain.cli.parser import Arguments
from closedchain.cli.values import robot
from closedchain.export.latex import latex, markdown
from closedchain.export.listing import text
from closedchain.export.mathml import page

WRITERS = {"markdown": markdown, "latex": latex, "mathml": page, "text": text}


def run(args: Arguments) -> int:
    """Print the equations in the form that is asked for; the parameters stay symbols."""
    model = robot(args, assembled=False)
    source = WRITERS[args.format](model.equations)
    if args.json:
        print_json(document("equations", model, format=args.format, source=source))
    else:
        print(source, end="")
    return 0
