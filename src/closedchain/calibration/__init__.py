"""Geometric calibration: parameters from measured poses, distances, probe heights and redundant sensors."""

from closedchain.calibration.calibrating import calibrate, read_data
from closedchain.calibration.choosing import Suggestion, candidates, suggest
from closedchain.calibration.klipper import probe_sd, read_klipper
from closedchain.calibration.quantities import Vocabulary
from closedchain.calibration.result import Calibration
from closedchain.fitting import Combination, Readings

__all__ = [
    "calibrate", "Calibration", "candidates", "Combination", "probe_sd", "read_data", "read_klipper", "Readings",
    "suggest", "Suggestion", "Vocabulary",
]  # fmt: skip
