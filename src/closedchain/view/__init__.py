"""Pictures of robots and of what they did: figures, an animation in one HTML file, videos, reports.

Everything draws a `Record` (or anything with its attributes) of a `Model`. Each leaf is imported by its name, so that
an animation needs no Matplotlib: `view.figures`, `view.pictures`, `view.animation`, `view.video`, `view.report`.
"""
