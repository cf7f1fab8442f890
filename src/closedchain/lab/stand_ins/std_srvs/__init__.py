"""Services that carry next to nothing."""
