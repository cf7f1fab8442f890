"""Grading of the lab's model files and control scripts: score, first failing state, and the likely mistake."""

from closedchain_lab.grading.files import document
from closedchain_lab.grading.grading import Options, grade

__all__ = ["Options", "document", "grade"]
