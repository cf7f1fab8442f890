"""What calibration and identification share: tables with units, slopes by parameters, combinations by name."""

from closedchain.fitting.combining import Combination, combinations, invisible, named
from closedchain.fitting.compiling import kernels
from closedchain.fitting.table import Readings, read_readings, text_of

__all__ = ["Combination", "combinations", "invisible", "kernels", "named", "Readings", "read_readings", "text_of"]
