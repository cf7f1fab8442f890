"""Checks that do not trust the model: the laws of physics, and other engines."""
