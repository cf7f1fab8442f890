"""Of parameters."""
