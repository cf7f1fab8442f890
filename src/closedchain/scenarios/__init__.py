"""Scenarios: a robot, its start, what it shall do, who controls it, what differs in reality; one TOML file each.

from closedchain import scenarios
run = scenarios.run("biglide-computed-torque")            # by name, or scenarios.run("mine.toml")
many = scenarios.rollouts("biglide-computed-torque", values={"m_p": [2.9, 3.0, 3.1]})
"""

from __future__ import annotations

from closedchain.scenarios.library import UnknownScenario, find, names, source
from closedchain.scenarios.reading import SCHEMA, loads, read
from closedchain.scenarios.recording import ENDING, recorded
from closedchain.scenarios.running import controller, rollouts, run, working_mode
from closedchain.scenarios.scenario import Context, Scenario, Start

__all__ = [
    "ENDING", "SCHEMA", "Context", "controller", "find", "loads", "names", "read", "recorded", "rollouts", "run",
    "Scenario", "source", "Start", "UnknownScenario", "working_mode",
]  # fmt: skip
