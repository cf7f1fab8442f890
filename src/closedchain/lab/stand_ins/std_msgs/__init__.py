"""Messages of one value each."""
