"""Controllers: plain laws, written once, that run on numbers and compile into the loop."""

from closedchain.control.crossing import CrossingComputedTorque, CrossingFeedForward, CrossingPD
from closedchain.control.feedforward import Constant, FeedForward
from closedchain.control.kinematic import KinematicControl
from closedchain.control.law import Law, Reference
from closedchain.control.observer import Observed, observe
from closedchain.control.oscillate import Oscillate
from closedchain.control.pid import PID
from closedchain.control.regulating import Regulator, regulator
from closedchain.control.scheduled import Scheduled
from closedchain.control.swingup import SwingUp, swing_up
from closedchain.control.tracking import PD, ComputedTorque, OutputComputedTorque

__all__ = [
    "PD",
    "PID",
    "ComputedTorque",
    "Constant",
    "CrossingComputedTorque",
    "CrossingFeedForward",
    "CrossingPD",
    "FeedForward",
    "KinematicControl",
    "Law",
    "Observed",
    "Oscillate",
    "OutputComputedTorque",
    "Reference",
    "Regulator",
    "Scheduled",
    "SwingUp",
    "observe",
    "regulator",
    "swing_up",
]
