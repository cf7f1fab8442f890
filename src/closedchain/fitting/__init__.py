"""What calibration and identification share: tables with units, slopes by parameters, combinations by name."""

from closedchain.fitting.combinations import Combination, combinations, invisible, named
from closedchain.fitting.table import Readings, read_readings

__all__ = ["Combination", "combinations", "invisible", "named", "Readings", "read_readings"]
