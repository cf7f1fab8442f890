"""Time and duration as messages."""
