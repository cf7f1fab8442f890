"""Headers and self-tests: compiled by the system's compilers, without warnings, with the bits that are expected."""

import re
import shutil
import subprocess

import numpy as np
import pytest

import closedchain as cc
from closedchain.errors import BadInput
from closedchain.export.headers import c99_header, cpp_header
from closedchain.export.maps import maps
from closedchain.export.package import bound, counts, map_package, model_package
from closedchain.export.selftest import selftest

STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic"]


@pytest.fixture(scope="module")
def ankle():
    """The maps of a G1's ankle as a package."""
    t = cc.transmission(cc.load("ankle:g1"))
    return map_package(maps(t, np.radians([-50.0, -15.0]), np.radians([30.0, 15.0])))


def compiled(compiler, folder, source, *flags):
    """Build a program and run it; its exit code."""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} here")
    done = subprocess.run([compiler, *flags, *STRICT, source, "-o", "run", "-lm"], cwd=folder, capture_output=True,
                          text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr[:2000]
    return subprocess.run(["./run"], cwd=folder, check=False, capture_output=True).returncode


@pytest.mark.parametrize("level", ["-O0", "-O2", "-O3 -march=native"])
def test_the_self_test_of_an_ankle_ends_well(ankle, tmp_path, level):
    """With fused multiply-adds at hand, too: they are off in the header itself."""
    (tmp_path / "ankle.h").write_text(c99_header(ankle))
    (tmp_path / "test.c").write_text(selftest(ankle, "ankle.h"))
    assert compiled("gcc", tmp_path, "test.c", "-std=c99", *level.split()) == 0


def test_the_self_test_finds_one_wrong_operation(ankle, tmp_path):
    """A sum of two values turned into a difference, somewhere in the code."""
    text = c99_header(ankle)
    wrong = re.sub(r"(= v\d+) \+ (v\d+;)", r"\1 - \2", text, count=1)
    assert wrong != text
    (tmp_path / "ankle.h").write_text(wrong)
    (tmp_path / "test.c").write_text(selftest(ankle, "ankle.h"))
    assert compiled("gcc", tmp_path, "test.c", "-std=c99") == 1


def test_the_header_for_cpp_has_the_same_bits(ankle, tmp_path):
    """C++17 in a namespace, against the numbers of the C self-test."""
    (tmp_path / "ankle.hpp").write_text(cpp_header(ankle))
    test = selftest(ankle, "ankle.hpp").replace("ankle_g1_", "ankle_g1::")
    (tmp_path / "test.cpp").write_text(test)
    assert compiled("g++", tmp_path, "test.cpp", "-std=c++17", "-O2") == 0


@pytest.mark.parametrize("name", ["biglide", pytest.param("delta", marks=pytest.mark.long), "furuta"])
def test_every_model_of_a_robot_fits_in_a_header(name, tmp_path):
    """Geometry, dynamics and the simulator's step, on random states on all branches."""
    package = model_package(cc.load(name))
    (tmp_path / "robot.h").write_text(c99_header(package))
    (tmp_path / "test.c").write_text(selftest(package, "robot.h"))
    assert compiled("gcc", tmp_path, "test.c", "-std=c99", "-O1") == 0


def test_a_header_allocates_nothing_and_calls_only_roots(ankle):
    """The text has no call but those of math.h that are instructions, and no loop."""
    for text in (c99_header(ankle), cpp_header(ankle)):
        code = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        calls = set(re.findall(r"\b(?:std::)?([a-z]\w*)\(", code)) - {"defined", "if"}
        assert calls - {p.name for p in ankle.programs} - {f"ankle_g1_{p.name}" for p in ankle.programs} <= {
            "sqrt", "fabs", "copysign", "floor"
        }  # fmt: skip
        assert not re.search(r"\b(for|while|malloc|new|goto)\b", code)


def test_operations_are_counted(ankle):
    """The bound is told in the header and adds up."""
    program = ankle.programs[0]
    assert sum(counts(program).values()) > 500
    assert f"{counts(program)['divisions']} divisions" in bound(program)
    assert bound(program) in c99_header(ankle)


def test_unknown_kernels_are_refused():
    """By name, with those that there are."""
    with pytest.raises(BadInput, match="no kernel 'nothing'"):
        model_package(cc.load("biglide"), ["nothing"])
