"""Singularities: at a pose, along a curve, as loci, and their cusps, around which a robot changes its assembly mode."""
