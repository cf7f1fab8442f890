"""A leg as Cassie's, in its plane: a knee that a long rod makes the heel follow, and a toe moved by another rod."""

from closedchain.describe import Bar, Body, Mechanism, Parameter, Plane, Slide, Turn, robot

CHOSEN = "chosen: about the size of Agility Robotics' Cassie"


@robot()
def cassie_leg(
    thigh=Parameter(0.12, "m", CHOSEN, about="from hip to knee"),
    shin=Parameter(0.43, "m", CHOSEN, about="from knee to heel"),
    tarsus=Parameter(0.41, "m", CHOSEN, about="from heel to toe"),
    rod=Parameter(0.5, "m", CHOSEN, about="length of the rod from the thigh to the heel"),
    a_x=Parameter(0.04, "m", CHOSEN, about="where that rod leaves the thigh: before the hip"),
    a_z=Parameter(0.03, "m", CHOSEN, about="and above it"),
    e=Parameter(0.1, "m", CHOSEN, about="the tarsus beyond the heel, where the rod ends"),
    crank=Parameter(0.055, "m", CHOSEN, about="length of the toe's crank, on the tarsus"),
    c_t=Parameter(0.06, "m", CHOSEN, about="from the heel to the crank's shaft"),
    push=Parameter(0.35, "m", CHOSEN, about="length of the toe's rod"),
    f=Parameter(0.05, "m", CHOSEN, about="from the toe's hinge to its rod"),
    m_1=Parameter(2.0, "kg", CHOSEN, about="mass of the thigh"),
    m_2=Parameter(0.6, "kg", CHOSEN, about="mass of the shin, uniform"),
    m_3=Parameter(0.8, "kg", CHOSEN, about="mass of the tarsus, uniform"),
    m_4=Parameter(0.15, "kg", CHOSEN, about="mass of the foot"),
    m_5=Parameter(0.16, "kg", CHOSEN, about="mass of the rod from thigh to heel, uniform"),
    m_6=Parameter(0.12, "kg", CHOSEN, about="mass of the toe's rod, uniform"),
    m_7=Parameter(0.13, "kg", CHOSEN, about="mass of the toe's crank"),
    j=Parameter(0.002, "kg m^2", CHOSEN, about="inertia of the thigh and of the toe's crank, about any axis"),
    j_4=Parameter(4e-4, "kg m^2", CHOSEN, about="inertia of the foot, about any axis"),
    g=Parameter(9.81, "m/s^2", "standard", about="gravity, along -z"),
):
    """Hip, knee and toe turn about y. At zero every link hangs along -z; the foot's pose is x, z and its pitch.

    The knee's motor moves shin and rod at once: thigh, shin, tarsus and rod are a four-bar, and the heel follows.
    """
    down = {"axis": (0, 1, 0)}
    upper = Body("thigh", m_1, (0, 0, -thigh / 2), (j, j, j), Turn("hip", **down))
    i_2, i_3 = m_2 * shin**2 / 12, m_3 * tarsus**2 / 12
    knee = Turn("knee", at=(0, 0, -thigh), by=upper, **down)
    lower = Body("shin", m_2, (0, 0, -shin / 2), (i_2, i_2, 0), knee)
    bone = Body("tarsus", m_3, (0, 0, -tarsus / 2), (i_3, i_3, 0), Turn("heel", at=(0, 0, -shin), by=lower, **down))
    motor = Turn("toe", at=(0, 0, -c_t), by=bone, **down)
    arm = Body("crank", m_7, (0, 0, 0), (j, j, j), motor)
    along_x = Body("along_x", joint=Slide("x", axis=(1, 0, 0)))
    along_z = Body("along_z", joint=Slide("z", by=along_x, axis=(0, 0, 1)))
    foot = Body("foot", m_4, (0, 0, 0), (j_4, j_4, j_4), Turn("pitch", by=along_z, **down))
    toe, hinge = bone.point("T", at=(0, 0, -tarsus)), foot.point("F", at=(0, 0, 0))
    bars = (
        Bar(upper.point("A", at=(a_x, 0, a_z)), bone.point("E", at=(0, 0, e)), rod, mass=m_5),
        Bar(arm.point("C", at=(crank, 0, 0)), foot.point("P", at=(f, 0, 0)), push, mass=m_6),
    )
    planes = (
        Plane(hinge, toe, normal=(1, 0, 0), name="hinge.along"),
        Plane(hinge, toe, normal=(0, 0, 1), name="hinge.across"),
    )
    drives = (upper.joint, knee, motor)
    return Mechanism("cassie_leg", drives=drives, bars=bars, planes=planes, output=foot, gravity=(0, 0, -g))
