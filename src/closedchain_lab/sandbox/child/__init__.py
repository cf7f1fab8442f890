"""What runs inside the child. It imports the standard library and NumPy only: no model, nothing to find."""
