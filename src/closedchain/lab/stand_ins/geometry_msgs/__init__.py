"""Points, vectors, poses."""
