"""Notebooks: how values are shown, a robot to be dragged, results as pandas and xarray hold them."""
