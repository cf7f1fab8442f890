"""Which dimensions: the best of one measure, or what is traded between several."""
