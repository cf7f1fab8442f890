"""Loops to and from other programs: MJCF, SDF, URDF with its YAML of closed loops."""
