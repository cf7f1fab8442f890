"""Grading of the lab's model files and control scripts: score, first failing state, and the likely mistake."""
