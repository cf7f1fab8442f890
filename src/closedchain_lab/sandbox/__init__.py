"""Untrusted Python in a child process: a copy of its own, limits on everything, numbers in and numbers out."""
