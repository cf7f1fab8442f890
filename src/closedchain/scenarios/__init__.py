"""Scenarios: a robot, its start, what it shall do, who controls it, what differs in reality; one TOML file each.

from closedchain import scenarios
run = scenarios.run("biglide-computed-torque")            # by name, or scenarios.run("mine.toml")
"""

from __future__ import annotations

from closedchain.scenarios.library import UnknownScenario, find, names
from closedchain.scenarios.reading import SCHEMA, loads, read
from closedchain.scenarios.running import run
from closedchain.scenarios.scenario import Scenario, Start

__all__ = ["SCHEMA", "Scenario", "Start", "UnknownScenario", "find", "loads", "names", "read", "run"]
