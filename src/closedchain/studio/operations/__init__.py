"""What the studio can be asked: one function per operation, a request's dictionary in, an answer out; no state."""
