"""Scenarios: a robot, its start, what it shall do, who controls it, what differs in reality; one TOML file each.

from closedchain import scenarios
run = scenarios.run("biglide-computed-torque")            # by name, or scenarios.run("mine.toml")
many = scenarios.rollouts("biglide-computed-torque", values={"m_p": [2.9, 3.0, 3.1]})
"""

from __future__ import annotations

from closedchain.scenarios.library import UnknownScenario, find, names
from closedchain.scenarios.reading import SCHEMA, loads, read
from closedchain.scenarios.running import rollouts, run
from closedchain.scenarios.scenario import Scenario, Start

__all__ = ["SCHEMA", "Scenario", "Start", "UnknownScenario", "find", "loads", "names", "read", "rollouts", "run"]
