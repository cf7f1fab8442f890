"""From a description to expressions: equations, closed-form geometry, and the programs the kernels are made of."""
