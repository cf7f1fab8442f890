"""The N-four-bar of the IFToMM library: a row of N windows that loses N closures whenever it lies flat."""

from closedchain.describe import Bar, Fixed, Free, Mechanism, Parameter
from closedchain.describe.recipe import Family, Recipe, robot

SOURCE = "IFToMM A02"


def n_four_bar(N: int) -> Recipe:
    """N windows side by side: N + 1 uprights on the ground, N couplers, 2 N + 1 closures for 2 N + 2 coordinates."""

    @robot(presets={str(N): {}})
    def nfourbar(
        l=Parameter(1.0, "m", SOURCE, about="length of every bar, and distance of the feet"),
        m=Parameter(1.0, "kg", SOURCE, about="mass of every bar, uniform"),
        g=Parameter(9.81, "m/s^2", SOURCE, about="gravity, along -y"),
    ):
        """Uprights and couplers of one length: a row of parallelograms, which moves like one pendulum."""
        A = [Fixed(f"A{i}", at=(i * l, 0)) for i in range(N + 1)]
        B = [Free(f"B{i}", near=(i * l, l)) for i in range(N + 1)]
        uprights = [Bar(a, b, l, mass=m) for a, b in zip(A, B, strict=True)]
        couplers = [Bar(B[i - 1], B[i], l, mass=m) for i in range(1, N + 1)]
        bars = (uprights[0], *(bar for pair in zip(uprights[1:], couplers, strict=True) for bar in pair))
        return Mechanism("nfourbar", drives=(), bars=bars, output=B[0], gravity=(0, -g), linkage=True)

    return nfourbar


nfourbar = Family("nfourbar", n_four_bar, smallest=1, largest=200, usual=2)
