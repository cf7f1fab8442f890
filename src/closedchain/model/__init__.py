"""The model of a robot: its numbers, its compiled kernels, and every question they answer."""
