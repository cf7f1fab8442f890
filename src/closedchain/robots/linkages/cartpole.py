"""A cart and a pole with a point mass; with a light cart it is nearly singular where the pole hangs."""

from closedchain.describe import Angle, Bar, Free, Mechanism, Parameter, Slider, robot


@robot(presets={"light": {"m_c": 1e-6}})
def cartpole(
    l=Parameter(1.0, "m", "chosen", about="length of the massless pole"),
    m_c=Parameter(1.0, "kg", "chosen; 1e-6 is the benchmark's", about="mass of the cart"),
    m=Parameter(1.0, "kg", "chosen", about="mass at the pole's end"),
    g=Parameter(9.81, "m/s^2", "standard", about="gravity, along -y"),
):
    """A cart slides along x, a pole hangs on it. Nothing drives the pole: two freedoms, one drive."""
    cart = Slider("s", at=(0, 0), along=(1, 0), mass=m_c, point="C")
    P = Free("P", mass=m, near=(l, 0))
    return Mechanism(
        "cartpole",
        drives=(cart,),
        bars=(Bar(cart, P, l),),
        output=P,
        readouts=(Angle("pole", cart, P),),
        gravity=(0, -g),
        linkage=True,
    )
