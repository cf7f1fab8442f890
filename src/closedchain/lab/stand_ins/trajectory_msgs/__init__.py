"""Motions of joints."""
