"""The right formulas in the lab's own notation, for many states at once: what a mistake is looked for in.

They are read as text, changed piece by piece, and compared with a submission (mutation.py). The grades do not rest on
them: they compare with the compiled models. Lengths and masses, and the functions of NumPy, are put in from outside.
"""
