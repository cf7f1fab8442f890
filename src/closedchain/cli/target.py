"""`closedchain export --to header` and `--to object`: code for a target, a robot's maps or its models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from closedchain.cli.parser import Arguments, Usage
from closedchain.cli.transmission import begun, loaded
from closedchain.cli.values import scalar
from closedchain.export.maps import maps
from closedchain.export.package import Package, map_package, model_package
from closedchain.export.ros2 import ros2_files
from closedchain.export.target_files import header_files, object_files
from closedchain.model.model import Model
from closedchain.model.transmission import Transmission


def written(args: Arguments) -> tuple[Model, dict[str, str | bytes], list[str], dict[str, Any]]:
    """The robot, its files, notes, and the bounds that were counted."""
    model = loaded(args)
    package = packaged(args, model)
    stem = Path(args.out).stem if args.out else package.name
    if args.to == "ros2":
        if not args.range or args.target:
            raise Usage("--to ros2 is a node on a transmission's maps: give --range NAME=LOW:HIGH for each joint")
        files, notes = ros2_files(package, stem)
        return model, files, [*package.told, *notes], {}
    if args.to == "header":
        if args.target:
            raise Usage("--target is for --to object; a header is compiled for any")
        files, notes, bounds = header_files(package, stem)
    else:
        files, notes, bounds = object_files(package, stem, args.target)
    return model, files, [*package.told, *notes], bounds


def packaged(args: Arguments, model: Model) -> Package:
    """The maps of a transmission where ranges are given, else the robot's models."""
    if args.range:
        if args.kernels:
            raise Usage("--range asks for a transmission's maps, --kernels for models; give one of them")
        t = begun(args, model)
        return map_package(maps(t, *limits(args.range, t)))
    if args.home is not None or args.working is not None:
        raise Usage(
            "--home and --working are for a transmission's maps: give --range NAME=LOW:HIGH for each joint, too"
        )
    return model_package(model, args.kernels.split(",") if args.kernels else None)


def limits(words: list[str], t: Transmission) -> tuple[np.ndarray, np.ndarray]:
    """`pitch=-50deg:30deg` of every joint, as low and high."""
    units = {c.name: c.unit for c in t.joints}
    found: dict[str, tuple[float, float]] = {}
    for word in words:
        name, equals, ends = word.partition("=")
        low, colon, high = ends.partition(":")
        if name not in units or not equals or not colon:
            raise Usage(f"--range {word[:40]!r}: write NAME=LOW:HIGH; the joints are {', '.join(units)}")
        values = [scalar(text, f"--range {name}", units[name]) for text in (low, high)]
        found[name] = (float(values[0] or 0.0), float(values[1] or 0.0))
    missing = [name for name in units if name not in found]
    if missing:
        raise Usage(f"--range is wanted for each joint; {', '.join(missing)} has none")
    both = np.array([found[name] for name in units])
    return both[:, 0], both[:, 1]
