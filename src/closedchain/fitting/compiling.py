"""Kernels of a robot that only fits need: compiled once, like its others."""

from __future__ import annotations

import importlib

from closedchain.kernels import Library, Program
from closedchain.kernels import load as load_kernels
from closedchain.model.model import Model


def kernels(model: Model, part: str, *options: object) -> Library:
    """The compiled programs that a function of derive.by_parameters makes; CasADi is imported only to make them."""
    announce = model.announce
    tell = (lambda text: announce(f"{model.recipe.name}: {text}")) if announce else None
    return load_kernels(f"{part} {options} {model.equations.key}", lambda: _derive(model, part, options), announce=tell)


def _derive(model: Model, part: str, options: tuple[object, ...]) -> list[Program]:
    module = importlib.import_module("closedchain.derive.by_parameters")
    programs: list[Program] = getattr(module, part)(model.equations, *options)
    return programs
