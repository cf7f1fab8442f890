"""Simulation: exact plants under held commands, compiled whole; rollouts; scenarios."""
