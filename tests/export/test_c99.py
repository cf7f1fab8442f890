"""C99: compiled by the system's compiler, every kernel of every robot gives the bits that ours give."""

import ctypes
import re

import numpy as np
import pytest

import closedchain as cc
from closedchain import robots
from closedchain.errors import BadInput
from closedchain.export.c99 import c99, comment, identifier, literal, write
from closedchain.export.stepping import Stepper
from closedchain.model.forces import with_forces

QUICK = ("biglide", "fivebar", "furuta")
ROBOTS = [pytest.param(n, marks=[] if n in QUICK else pytest.mark.slow) for n in robots.names()]
STATES = 25


def call(library, prefix, program, given):
    """One call of a compiled function; its outputs by name."""
    function = getattr(library, f"{prefix}_{program.name}")
    function.restype = None
    arguments, made = [], {}
    for o in program.inputs:
        value = np.ascontiguousarray(given[o.name], dtype=float)
        arguments.append(value.ctypes.data_as(ctypes.c_void_p) if o.shape else ctypes.c_double(float(given[o.name])))
    for o in program.outputs:
        made[o.name] = np.full(o.shape, np.nan)
        arguments.append(made[o.name].ctypes.data_as(ctypes.c_void_p))
    function(*arguments)
    return made


def ours(model, programs, inputs):
    """Compiled kernels by name: those of the model, and the step with its companions."""
    homes = (Stepper(model, inputs, 1e-3, 1).library, model.library, model.dynamics)
    return {p.name: next((home for home in homes if p.name in home), homes[-1]) for p in programs}


@pytest.mark.parametrize("name", ROBOTS)
def test_every_kernel_has_the_bits_of_ours(name, derived, compile_c, random_arrays, same_bits, tmp_path):
    """Every output of every kernel at random states on all branches, by another compiler."""
    model, programs, inputs = derived(name)
    source = write(model, programs, inputs)
    library = compile_c(source.source, tmp_path)
    given, homes = random_arrays(model, STATES, 3), ours(model, programs, inputs)
    compared = 0
    for program in programs:
        if program.name == "scale":
            assert call(library, source.name, program, {"p": model.p})["scale"] == model.scale
            continue
        signature = homes[program.name].signatures[program.name]
        made = homes[program.name][program.name](*(given[a.name] for a in signature.inputs))
        wanted = dict(
            zip((a.name for a in signature.outputs), made if isinstance(made, tuple) else (made,), strict=True)
        )
        for i in range(STATES):
            row = {o.name: given[o.name][i] for o in program.inputs}
            for key, value in call(library, source.name, program, row).items():
                assert same_bits(value, np.broadcast_to(wanted[key], (STATES, *value.shape))[i]), (program.name, key, i)
                compared += value.size
    assert compared > 20 * STATES


def test_a_fault_in_one_line_is_seen(derived, compile_c, random_arrays, same_bits, tmp_path):
    """The comparison above can fail: one plus made a minus in the closures changes bits."""
    model, programs, inputs = derived("biglide")
    closures = [p for p in programs if p.name == "closures"]
    source = write(model, closures, inputs)
    broken = source.source.replace(" + ", " - ", 1)
    given = {k: v[0] for k, v in random_arrays(model, 1, 0).items()}
    made = call(compile_c(broken, tmp_path), "biglide", closures[0], given)
    assert not same_bits(made["phi"], model.call("closures", q=given["q"], x=given["x"])["phi"])


def test_outputs_may_be_the_inputs_and_unwanted_ones_null(derived, compile_c, random_arrays, tmp_path):
    """A state stepped in place, without asking for the work, is the state stepped into other arrays."""
    model, programs, inputs = derived("biglide")
    step = [p for p in programs if p.name == "step"]
    library = compile_c(write(model, step, inputs).source, tmp_path)
    given = {k: np.array(v[0]) for k, v in random_arrays(model, 1, 1).items()}
    wanted = call(library, "biglide", step[0], given)
    pointer = [given[n].ctypes.data_as(ctypes.c_void_p) for n in ("q", "x", "q_dot", "x_dot")]
    more = [ctypes.c_double(0.0), given["u"].ctypes.data_as(ctypes.c_void_p), ctypes.c_double(1e-3)]
    library.biglide_step(*pointer, *more, given["p"].ctypes.data_as(ctypes.c_void_p), *pointer, None)
    for name in ("q", "x", "q_dot", "x_dot"):
        np.testing.assert_array_equal(given[name], wanted[f"{name}_next"])


def test_the_parameters_are_in_the_library(compile_c, tmp_path):
    """Their values, as given, and their names in order."""
    model = cc.load("biglide", l=0.2828427)
    library = compile_c(c99(model, kernels=["closures"]).source, tmp_path)
    np.testing.assert_array_equal(np.array((ctypes.c_double * 4).in_dll(library, "biglide_p")), model.p)
    names = (ctypes.c_char_p * 4).in_dll(library, "biglide_p_names")
    assert [n.decode() for n in names] == list(model.values)


def test_the_header_compiles_by_itself_and_names_every_function(derived, compile_c, tmp_path):
    """Every prototype fits its definition, shapes and units are told, and including the header twice does no harm."""
    model, programs, inputs = derived("fivebar")
    source = write(model, programs, inputs)
    source.save(tmp_path)
    compile_c('#include "fivebar.h"\n#include "fivebar.h"\n#include "fivebar.c"\n', tmp_path, f"-I{tmp_path}")
    for program in programs:
        assert re.search(rf"void fivebar_{program.name}\(", source.header)
    assert "q (2): drives [rad]" in source.header
    assert "tau (2): efforts [N m]" in source.header


def test_fast_math_is_refused_by_the_source_itself(derived, compile_c, tmp_path):
    """Signs of zeros and NaN are used, so the promise of equal bits would be broken silently."""
    model, programs, inputs = derived("biglide")
    with pytest.raises(AssertionError, match="fast-math"):
        compile_c(write(model, programs[:1], inputs).source, tmp_path, "-ffast-math")


def test_names_that_c_cannot_say_are_changed():
    """A preset's colon, a hyphen, a digit in front, a keyword."""
    assert [identifier(n) for n in ("furuta:qube", "my-robot", "3rrr", "double")] == [
        "furuta_qube", "my_robot", "robot_3rrr", "robot_double",
    ]  # fmt: skip
    assert "*/" not in comment("a comment */ that ends")


@pytest.mark.parametrize("value", [0.1, -0.0, 1e-310, 2.0**-1074, 1.7976931348623157e308, -1 / 3, 5.0])
def test_constants_survive_to_the_bit(value, compile_c, tmp_path):
    """Also zeros with a sign, and the smallest and largest doubles."""
    library = compile_c(f"extern const double x; const double x = {literal(value)};", tmp_path)
    assert ctypes.c_double.in_dll(library, "x").value.hex() == value.hex()


def test_an_unknown_kernel_is_refused():
    """With the known ones."""
    with pytest.raises(BadInput, match="no kernel 'closure'; there are closures"):
        c99(cc.load("biglide"), kernels=["closure"])


def test_voltages_are_refused_without_motors():
    """As everywhere."""
    with pytest.raises(BadInput, match="no motor"):
        c99(cc.load("biglide"), inputs="voltage")


def test_external_forces_are_parameters_of_every_call(compile_c, tmp_path):
    """Their places in p have names in the header; the efforts in C are those of Python under the same force."""
    robot = cc.load("biglide")
    model = with_forces(robot, {"C": (0.0, 0.0)})
    source = c99(model, kernels=["inverse_dynamics"])
    library = compile_c(source.source, tmp_path)
    places = dict(re.findall(r"#define BIGLIDE_P_(force_C_[xy]) (\d+)", source.header))
    state, p, tau = cc.state(robot, x=[0.03, 0.25]), model.p.copy(), np.zeros(2)
    for name, value in (("force_C_x", 1.5), ("force_C_y", -2.5)):
        p[int(places[name])] = value
    arrays = [state.q, state.x, state.q_dot, np.zeros(2), p, tau, np.zeros(2), np.zeros(1)]
    library.biglide_inverse_dynamics(*(np.ascontiguousarray(a).ctypes.data_as(ctypes.c_void_p) for a in arrays[:5]),
                                     *(a.ctypes.data_as(ctypes.c_void_p) for a in arrays[5:]))  # fmt: skip
    np.testing.assert_array_equal(tau, cc.inverse_dynamics(robot, state, [0.0, 0.0], forces={"C": (1.5, -2.5)}))


def test_a_followed_branch_has_our_poses_and_tells_a_possible_flip(compile_c, tmp_path):
    """`follow` in C goes where `track` goes, to the bit, in one step or in parts; where ours is lost it returns 0."""
    robot = cc.load("rpr3")
    source = c99(robot, kernels=["track"])
    library = compile_c(source.source, tmp_path)
    assert "int rpr3_follow(" in source.header
    at = cc.inverse(robot, [45.0, 35.0, 0.2]).row(0)
    array = ctypes.POINTER(ctypes.c_double)
    for change in ([0.5, -0.3, 0.2], [9.0, -6.0, 5.0], [-40.0, -30.0, -40.0]):
        ours, q, x = robot.track(at.q, at.x), at.q.copy(), at.x.copy()
        goal = at.q + np.array(change)
        try:
            ours.to(goal)
            sure = 1
        except cc.ClosedChainError:
            sure = 0
        places = [a.ctypes.data_as(array) for a in (q, goal, x, robot.p)]
        assert library.rpr3_follow(*places, ctypes.c_double(robot.scale)) == sure
        np.testing.assert_array_equal(x, ours.x)
        np.testing.assert_array_equal(q, ours.q)
    assert sure == 0  # the last move shortens every leg: no pose is there
