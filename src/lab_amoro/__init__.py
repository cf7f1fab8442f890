"""The lab by the name that its scripts import, so that `python3 control.py` runs where closedchain is installed."""

from closedchain_lab.alone import begin

begin()
