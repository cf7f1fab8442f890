"""The peers, interleaved: one script per claim, each checks every peer's numbers before it times them."""
