"""Klipper's delta configuration as data: the printer's numbers and the positions that DELTA_CALIBRATE saved.

Klipper's model of a delta printer (klippy/kinematics/delta.py): upright towers at `delta_radius` and three angles, arms
from each tower's carriage to the effector; a carriage at its endstop stands at position_endstop + √(arm² − radius²). A
saved "stable position" is the number of steps that each carriage went down from its endstop; [delta_calibrate] keeps
`heightN` (the probe's z offset) with `heightN_pos`, and `distanceN` with `distanceN_pos1` and `_pos2`. Lengths are in
mm, angles in degrees. Nothing in the file is executed: it is sections of `key = value` or `key: value`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from closedchain.errors import BadInput
from closedchain.fitting import Readings, text_of
from closedchain.model.model import Model

SAVED = "#*#"  # before each line of what SAVE_CONFIG wrote
ANGLES = {"a": 210.0, "b": 330.0, "c": 90.0}
NUMBER = r"(\d+\.?\d*|\.\d+)"
ACCURACY = re.compile(r"probe accuracy results: [^\n]*standard deviation (\d+\.?\d*)")
Sections = dict[str, dict[str, str]]


def read_klipper(path: str | os.PathLike[str], model: Model) -> tuple[Readings, dict[str, float]]:
    """The readings of [delta_calibrate] as travels of the carriages, and the printer's numbers by parameter name."""
    file = Path(path)
    sections = read_sections(file.name, text_of(file))
    values = printer(file.name, sections)
    missing = [name for name in values if name not in model.values]
    drives = [c.name for c in model.equations.q]
    if missing or len(drives) != 3 or "z" not in [c.name for c in model.equations.x]:
        raise BadInput(
            f"{file.name} is Klipper's; {model.name} is not its delta: three carriages, output x, y, z "
            f"and parameters {', '.join(values)} is needed, as examples/14_calibration/klipper_delta.toml"
        )
    return _saved(file.name, sections, drives), values


def probe_sd(path: str | os.PathLike[str]) -> float:
    """The probe's standard deviation [m] by a log of PROBE_ACCURACY: the root mean square of those that it tells."""
    file = Path(path)
    found = [float(text) * 1e-3 for text in ACCURACY.findall(text_of(file))]
    sd = float(np.sqrt(np.mean(np.square(found)))) if found else 0.0
    if not sd > 0.0:
        told = "tells a standard deviation of 0 only" if found else "has no line 'probe accuracy results: …'"
        raise BadInput(f"{file.name} {told}; run PROBE_ACCURACY with more samples, or give --sd z=…")
    return sd


def read_sections(file: str, text: str) -> Sections:
    """Sections with their keys; what SAVE_CONFIG wrote stands in remarks of its own and counts last."""
    plain = [line for line in text.splitlines() if not line.startswith(SAVED)]
    saved = [line[len(SAVED) :].removeprefix(" ") for line in text.splitlines() if line.startswith(SAVED)]
    found: Sections = {}
    for lines in (plain, saved):
        section = ""
        for line in lines:
            line = re.split(r"(?:^|\s)[#;]", line, maxsplit=1)[0].rstrip()
            head = re.fullmatch(r"\[([^\]]+)\]", line)
            pair = re.fullmatch(r"([A-Za-z_]\w*)\s*[:=]\s*(.*)", line)
            if head:
                section = head[1].strip()
                found.setdefault(section, {})
            elif pair and section:
                found[section][pair[1].lower()] = pair[2].strip()
    if "printer" not in found:
        raise BadInput(f"{file} has no section [printer]: it is no configuration of Klipper")
    return found


def printer(file: str, sections: Sections) -> dict[str, float]:
    """radius, angle_a …, endstop_a …, arm_a … in SI."""
    kinematics = sections["printer"].get("kinematics")
    if kinematics != "delta":
        raise BadInput(f"{file}: kinematics is {kinematics!r:.30}; only delta is read")
    values = {"radius": _number(file, sections, "printer", "delta_radius") * 1e-3}
    for a in "abc":
        values[f"angle_{a}"] = float(np.radians(_number(file, sections, f"stepper_{a}", "angle", ANGLES[a])))
    for key, name in (("position_endstop", "endstop"), ("arm_length", "arm")):
        first = _number(file, sections, "stepper_a", key)
        for a in "abc":
            values[f"{name}_{a}"] = _number(file, sections, f"stepper_{a}", key, first) * 1e-3
    return values


def step_distances(file: str, sections: Sections) -> np.ndarray:
    """[m] of one step of each tower: rotation_distance over full steps, microsteps and gears."""
    found = []
    for a in "abc":
        section = f"stepper_{a}"
        turn = _number(file, sections, section, "rotation_distance")
        steps = _number(file, sections, section, "full_steps_per_rotation", 200.0)
        steps *= _number(file, sections, section, "microsteps") * _gears(file, sections, section)
        if not (turn > 0.0 and steps > 0.0):
            raise BadInput(f"{file}: [{section}] goes {turn:g} mm in a turn of {steps:g} steps; both must be above 0")
        found.append(turn / steps * 1e-3)
    return np.array(found)


def _gears(file: str, sections: Sections, section: str) -> float:
    ratio = 1.0
    for pair in filter(None, sections.get(section, {}).get("gear_ratio", "").split(",")):
        match = re.fullmatch(rf"\s*{NUMBER}\s*:\s*{NUMBER}\s*", pair)
        if not match or not float(match[2]):
            raise BadInput(f"{file}: gear_ratio of [{section}], {pair.strip()[:20]!r}, is not like 57:11")
        ratio *= float(match[1]) / float(match[2])
    return ratio


def _saved(file: str, sections: Sections, drives: list[str]) -> Readings:
    names = (*drives, *(f"to.{q}" for q in drives), "z", "|C to.C|")
    steps, data = step_distances(file, sections), sections.get("delta_calibrate", {})
    rows = []
    for prefix in ("height", "manual_height"):
        for i, height in _numbered(file, data, prefix):
            travel = _position(file, data, f"{prefix}{i}_pos") * steps
            rows.append([*travel, *[np.nan] * 3, height * 1e-3, np.nan])
    for i, distance in _numbered(file, data, "distance"):
        ends = [_position(file, data, f"distance{i}_pos{k}") * steps for k in (1, 2)]
        rows.append([*ends[0], *ends[1], np.nan, distance * 1e-3])
    if not rows:
        raise BadInput(f"{file} has no saved heights in [delta_calibrate]; run DELTA_CALIBRATE and SAVE_CONFIG first")
    values = np.array(rows)
    used = [not np.isnan(column).all() for column in values.T]
    return Readings(tuple(n for n, u in zip(names, used, strict=True) if u), values[:, used], file)


def _numbered(file: str, data: dict[str, str], prefix: str) -> Iterator[tuple[int, float]]:
    i = 0
    while f"{prefix}{i}" in data:
        yield i, _float(file, f"{prefix}{i}", data[f"{prefix}{i}"])
        i += 1


def _position(file: str, data: dict[str, str], key: str) -> np.ndarray:
    parts = data.get(key, "").split(",")
    if len(parts) != 3:
        raise BadInput(f"{file}: {key} in [delta_calibrate] needs three numbers of steps")
    return np.array([_float(file, key, part) for part in parts])


def _number(file: str, sections: Sections, section: str, key: str, usual: float | None = None) -> float:
    text = sections.get(section, {}).get(key)
    if text is None:
        if usual is None:
            raise BadInput(f"{file}: [{section}] has no {key}")
        return usual
    return _float(file, f"{key} of [{section}]", text)


def _float(file: str, what: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not np.isfinite(value):
        raise BadInput(f"{file}: {what} is {text.strip()[:30]!r}, not a number")
    return value
