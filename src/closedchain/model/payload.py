"""A robot that carries something: a mass at its output that its own description does not have."""

from __future__ import annotations

from dataclasses import replace

from closedchain.derive.mechanics import Mechanics
from closedchain.describe.elements import Body, Plate
from closedchain.describe.parameters import Parameter
from closedchain.describe.recipe import Recipe
from closedchain.describe.vectors import dot
from closedchain.errors import BadInput
from closedchain.model.model import Model

PAYLOAD = "payload"


def with_payload(model: Model, mass: float) -> Model:
    """The same robot with a point mass at its output point, or at the centre of its plate or body."""
    mechanism = model.mechanism
    if mechanism is None:
        raise BadInput(f"{model.name} has no output to carry a payload")
    payload = Parameter(0.0, "kg", "carried", about="mass at the output", name=PAYLOAD)
    m = Mechanics(mechanism)
    output, place = mechanism.output, m.centre(mechanism.output)
    match output:
        case Plate():
            speed = m.plate_speed_squared(output, output.centre)
        case Body():
            speed = m.solid_speed_squared(output, output.centre)
        case _:
            speed = m.speed_squared(output)
    equations = model.equations
    loaded = replace(
        equations,
        parameters=(*equations.parameters, payload),
        kinetic=equations.kinetic + payload * speed / 2,
        potential=equations.potential - (payload * dot(mechanism.gravity, place) if mechanism.gravity else 0.0),
    )
    recipe = Recipe(loaded, model.recipe.presets, model.recipe.origin)
    return Model(recipe, {**model.given, PAYLOAD: mass}, model.preset, model.announce)
