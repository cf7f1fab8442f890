"""The lab's package, over closedchain's robots."""
