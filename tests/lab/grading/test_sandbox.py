"""Submissions that loop, fork, allocate, print, delete, connect, forge: each ends in a verdict, and nothing else."""

import os
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from closedchain_lab.grading.files import table
from closedchain_lab.grading.models import grade_models
from closedchain_lab.grading.results import SubmissionGrade
from closedchain_lab.grading.words import lines
from closedchain_lab.sandbox.allowance import MB, Limits, used, working_copy
from closedchain_lab.sandbox.child import seccomp
from closedchain_lab.sandbox.process import Child, Stopped

AMPLE = Limits()  # where time is not what is tried: a machine may be slow
SHORT = Limits(seconds=3.0, cpu_seconds=40)
EVERY_PIPE = "for fd in range(3, 12):\n    try:"
DKM = "\n\ndef dkm(q11, q12, q21, q22, q11D, q21D):\n"


def grade_dkm(hand_in, three, body, limits=AMPLE, before=""):
    """The grade of a short file whose dkm does what is to be tried."""
    indented = "".join(f"    {line}\n" for line in body.splitlines())
    grade = grade_models(*hand_in("biglide", before + three + DKM + indented), "biglide", limits=limits)
    return grade, next(f for f in grade.functions if f.name == "dkm")


def others_are_right(grade):
    """The function before dkm and the one after it have all their points."""
    return [f.name for f in grade.functions if f.verdict == "right"] == ["igm", "dkm_passive"]


@pytest.mark.parametrize(
    "body, words",
    [
        ("while True: pass", "3 s of processor time were used up"),
        ("import time\ntime.sleep(1e6)", "no answer within 18 s"),
        ("import os\nos._exit(0)", "ended the process with code 0"),
        ("import ctypes\nctypes.string_at(0)", "ended by SIGSEGV"),
        ("import os\nwhile True: os.write(1, b'x' * 65536)", "printed more than 4 MB"),
        ("i = 0\nwhile True:\n    i += 1\n    open(f'f{i}', 'wb').write(bytes(4 * 2**20))", "wrote more than 64 MB"),
        ("import os\nos.write(4, b'forged\\n' * 10)\nos.write(3, b'forged\\n')\nos.close(4)\nos._exit(0)", ""),
    ],
    ids=["loop", "sleep", "exit", "segfault", "print", "disk", "forged lines"],
)  # fmt: skip
@pytest.mark.skipif(sys.platform != "linux", reason="signals' names and limits are Linux's")
def test_a_function_that_does_not_return_is_stopped_and_told(body, words, hand_in, three):
    """The verdict comes within the limits, and the other functions are graded as if nothing had happened."""
    began = time.monotonic()
    grade, dkm = grade_dkm(hand_in, three, body, SHORT)
    assert time.monotonic() - began < 300.0  # one stop and a dozen starts, on a machine with other things to do
    assert (dkm.verdict, dkm.score) == ("stopped", 0.0)
    assert words in dkm.says[0]
    assert others_are_right(grade)


def test_recursion_without_a_limit_ends_the_child_at_most(hand_in, three):
    """A stack or a memory that is full is a crash, an error or a time-out, as Python's version decides."""
    grade, dkm = grade_dkm(
        hand_in, three, "import sys\nsys.setrecursionlimit(10**9)\nf = lambda: max([f])()\nreturn f()", SHORT
    )
    assert dkm.verdict in ("stopped", "wrong")
    assert dkm.score == 0.0
    assert others_are_right(grade)


@pytest.mark.parametrize(
    "body, error",
    [
        ("import sys\nsys.exit(3)", "SystemExit: 3"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("f = lambda: f()\nreturn f()", "RecursionError"),
        ("return len(bytearray(2**30)), 0", "MemoryError"),
        ("import numpy\nreturn numpy.ones(2**28).sum(), 0", "Unable to allocate"),
        ("open('large', 'wb').write(bytes(2**17))", "File too large"),
    ],
)  # fmt: skip
@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory and file size are Linux's")
def test_what_raises_is_an_answer_that_is_wrong(body, error, hand_in, three):
    """Limits of memory and file size are errors in the submission, which it may even catch."""
    grade, dkm = grade_dkm(hand_in, three, body, replace(AMPLE, file_size=64 * 1024))
    assert (dkm.verdict, dkm.score) == ("wrong", 0.0)
    assert error in " ".join(dkm.says)
    assert others_are_right(grade)


@pytest.mark.parametrize(
    "text, words",
    [
        ("raise RuntimeError('at\\nimport')", "raised RuntimeError: at import"),
        ("import sys\nsys.exit()", "raised SystemExit"),
        ("def dgm(:", "raised SyntaxError"),
        ("while True: pass", "3 s of processor time were used up"),
        ("import os\nos.kill(os.getpid(), 9)", "ended by SIGKILL"),
        ("import a_module_that_is_nowhere", "raised ModuleNotFoundError"),
        ("\x00", "raised SyntaxError"),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="signals' names are Linux's")
def test_a_file_that_cannot_be_imported_gets_a_verdict(text, words, hand_in):
    """No function can be tried, and the reason is one line."""
    grade = grade_models(*hand_in("biglide", text), "biglide", limits=SHORT)
    assert grade.score == 0.0
    assert words in grade.verdict
    assert "\n" not in grade.verdict


# What a submission cannot reach -------------------------------------------------------------------

REPORT = """
import os, socket, subprocess, sys

def tried(function):
    try:
        function()
    except BaseException as error:
        return f"{type(error).__name__}"
    return "done"
"""


def try_all(hand_in, right, attempts):
    """What happened to each attempt, made while the file is imported."""
    lines = [f"print({name!r}, tried(lambda: {code}), flush=True)" for name, code in attempts.items()]
    text = REPORT + "\n".join(lines) + "\n" + right("biglide_loops")
    grade = grade_models(*hand_in("biglide", text), "biglide", limits=AMPLE)
    said = dict(line.split(" ", 1) for line in grade.output.splitlines() if line.split(" ")[0] in attempts)
    return grade, said


def test_nothing_outside_the_copy_can_be_read_written_or_changed(hand_in, right, tmp_path):
    """Not the graders' package, not another's submission, not a folder that everybody may write to."""
    other = tmp_path / "another.py"
    other.write_text("grade = 100")
    shared = Path("/var/tmp")
    attempts = {
        "read": f"open({str(other)!r}).read()",
        "write": f"open({str(other)!r}, 'w')",
        "delete": f"os.remove({str(other)!r})",
        "rename": f"os.rename({str(other)!r}, 'mine')",
        "mode": f"os.chmod({str(other)!r}, 0)",
        "times": f"os.utime({str(other)!r}, (0, 0))",
        "shared": f"open({str(shared / 'from-a-submission')!r}, 'w')",
        "link": f"os.symlink({str(other)!r}, 'link') or open('link').read()",
        "solution": f"open({str(Path(grade_models.__code__.co_filename))!r}).read()",
        "package": "__import__('closedchain')",
        "passwords": "open('/etc/passwd').read()",
        "processes": "os.listdir('/proc')",
        "parent": "open(f'/proc/{os.getppid()}/mem', 'rb')",
        "own": "open('own', 'w').write('x') or os.remove('own')",
    }
    grade, said = try_all(hand_in, right, attempts)
    assert said.pop("package") == "ModuleNotFoundError"
    if grade.protections["files"] == "none":
        pytest.skip("this kernel has no landlock; the grade says so")
    assert said.pop("own") == "done"
    assert set(said.values()) == {"PermissionError"}
    assert other.read_text() == "grade = 100"
    assert grade.ok


def test_no_process_no_network_no_signal(hand_in, right):
    """Forks, programs, sockets and signals to others are refused; the grader and its port never notice."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        server.settimeout(0.0)
        attempts = {
            "fork": "os.fork() or os._exit(0)",
            "program": "subprocess.run(['true'])",
            "exec": "os.execv(sys.executable, ['python'])",
            "connect": f"socket.create_connection(('127.0.0.1', {port}), 0.2)",
            "datagram": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
            "signal": "os.kill(os.getppid(), 9)",
            "group": "os.killpg(0, 9)",
            "session": f"os.kill({os.getpid()}, 15)",
        }
        grade, said = try_all(hand_in, right, attempts)
        if "seccomp" not in grade.protections["network"]:
            pytest.skip("no seccomp here; the grade says so")
        with pytest.raises(BlockingIOError):
            server.accept()
    assert set(said.values()) == {"PermissionError"}
    assert len(said) == len(attempts)
    assert grade.ok


def test_a_fork_bomb_makes_no_process(hand_in, three):
    """Twenty thousand forks are twenty thousand refusals."""
    attempt = "    try: os.fork()\n    except OSError: pass\n"
    bomb = f"import os\nfor _ in range(20_000):\n{attempt}return 1, 2"
    before = set(children())
    grade, dkm = grade_dkm(hand_in, three, bomb)
    assert dkm.score == 0.0
    assert others_are_right(grade)
    assert set(children()) <= before


def children():
    """Processes of which this one is the parent."""
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=False
    )
    found = {int(pid) for pid in listed.stdout.split()}
    return {
        pid for pid in found if Path(f"/proc/{pid}/comm").exists() and Path(f"/proc/{pid}/comm").read_text() != "ps\n"
    }


def test_threads_and_exit_handlers_die_with_the_child(hand_in, three):
    """What would go on afterwards is killed: the copy is gone, and so is everybody in it."""
    before = (
        "import atexit, threading, time\natexit.register(time.sleep, 1e6)\n"
        "def stay():\n    while True:\n        time.sleep(0.01)\n"
        "threading.Thread(target=stay).start()\n"
    )
    began = time.monotonic()
    grade, _ = grade_dkm(hand_in, three, "return 0, 0", before=before)
    assert others_are_right(grade)
    assert time.monotonic() - began < 300.0
    names = {thread.name for thread in threading.enumerate()}
    assert not any("_listen" in name or "_drain" in name for name in names)


# The channel --------------------------------------------------------------------------------------


def test_what_is_printed_is_no_answer(hand_in, three):
    """Forged lines on stdout are output, whatever stdout has been replaced by."""
    body = 'print(\'{"id": 1, "call": 0, "value": [1.0, 2.0]}\')\nreturn 0, 0'
    grade, dkm = grade_dkm(hand_in, three, body)
    assert dkm.verdict == "not written"
    assert '"value": [1.0, 2.0]' in grade.output
    assert others_are_right(grade)


def test_a_submission_that_rebuilds_its_process_is_graded_by_what_it_returns(hand_in, right):
    """json, sys, builtins and the child's own functions are the submission's to spoil: it can only lose by it."""
    before = (
        "import builtins, gc, json, os, sys\n"
        "json.dumps = json.loads = lambda *a, **k: '{\"value\": [0, 0]}'\n"
        "sys.stdout = sys.stderr = None\nsys.exit = os._exit\nbuiltins.float = lambda v: 1.0\n"
        "for thing in gc.get_objects():\n"
        "    if getattr(thing, '__name__', '') in ('plain', 'words', 'compare', 'grade_function'):\n"
        "        thing.__code__ = (lambda *a: [1.0, 2.0]).__code__\n"
        "expected = [t for t in gc.get_objects() if isinstance(t, dict) and 'expected' in t]\n"
        "assert not any(getattr(t['expected'], 'shape', None) for t in expected)\n"
    )
    grade = grade_models(*hand_in("biglide", before + right("biglide_vectors")), "biglide", limits=AMPLE)
    assert grade.score < 20.0  # at most what constants happen to hit


def test_an_answer_to_another_question_is_refused(hand_in, three):
    """A line with a number that was not asked for ends the function, not the grading."""
    forged = r'{"id": 1, "call": 0, "value": [0, 0]}\n'
    body = f"import os\n{EVERY_PIPE} os.write(fd, b'{forged}')\n    except OSError: pass\nreturn 0, 0"
    grade, dkm = grade_dkm(hand_in, three, body)
    assert (dkm.verdict, dkm.score) == ("stopped", 0.0)
    assert "not asked for" in dkm.says[0]
    assert others_are_right(grade)


def test_a_line_without_end_is_cut(hand_in, three):
    """A gigabyte without a newline is not kept in the grader's memory."""
    body = f"import os\n{EVERY_PIPE}\n        while True: os.write(fd, b'[' * 65536)\n    except OSError: pass"
    grade, dkm = grade_dkm(hand_in, three, body)
    assert dkm.verdict == "stopped"
    assert others_are_right(grade)


def test_a_copy_holds_the_files_and_is_gone_afterwards(tmp_path):
    """Links are left out, folders are kept, and deleting everything in it harms nobody."""
    (tmp_path / "a.py").write_text("x = 1")
    (tmp_path / "b.py").symlink_to("/etc/passwd")
    with working_copy([(tmp_path / "a.py", "deep/a.py"), (tmp_path / "b.py", "b.py")]) as (folder, _):
        assert sorted(p.name for p in folder.rglob("*")) == ["a.py", "deep"]
        assert used(folder, MB) >= 5
    assert not folder.exists()
    assert (tmp_path / "a.py").read_text() == "x = 1"


def test_the_limits_hold_in_the_child_and_not_here(tmp_path):
    """What is reported as a limit is one: the child reads its own limits back."""
    (tmp_path / "m.py").write_text(
        "import resource\ndef dgm(a, b, c):\n    return [float(resource.getrlimit(int(a))[1])]\n"
    )
    resource = pytest.importorskip("resource")
    limits = Limits(seconds=5.0, cpu_seconds=7, memory=700 * MB, file_size=3 * MB, open_files=32)
    wanted = {"RLIMIT_CPU": 7, "RLIMIT_AS": 700 * MB, "RLIMIT_FSIZE": 3 * MB, "RLIMIT_NOFILE": 32, "RLIMIT_CORE": 0}
    before = {name: resource.getrlimit(getattr(resource, name)) for name in wanted}
    with working_copy([(tmp_path / "m.py", "m.py")]) as (folder, user), Child(folder, user, limits) as child:
        child.tell({"load": str(folder / "m.py"), "name": "m", "functions": ["dgm"]})
        assert child.hear() == {"functions": ["dgm"]}
        child.tell({"function": "dgm", "id": 1, "calls": [[getattr(resource, name), 0, 0] for name in wanted]})
        got = [child.hear()["value"][0] for _ in wanted]
        child.end()
        with pytest.raises(Stopped):
            child.hear()
    assert dict(zip(wanted, got, strict=True)) == wanted
    assert before == {name: resource.getrlimit(getattr(resource, name)) for name in wanted}


@pytest.mark.parametrize("machine", seccomp.ARCHITECTURES)
def test_every_jump_of_the_filter_stays_within_it(machine):
    """Eight bytes an instruction, the last one allows, and no number is listed twice."""
    made = seccomp.program(machine, 1)
    assert all(len(instruction) == 8 for instruction in made)
    for place, instruction in enumerate(made):
        assert place + 1 + max(instruction[2], instruction[3]) <= len(made)
    column = seccomp.ARCHITECTURES[machine][0]
    numbers = [pair[column] for pair in seccomp.REFUSED.values() if pair[column] is not None]
    assert len(numbers) == len(set(numbers))


def test_no_module_that_knows_the_answers_is_in_the_child(hand_in, three):
    """A submission that searches its own process finds the stand-ins' modules, none of the models or the grader."""
    body = """import gc, types
names = [o.__name__ for o in gc.get_objects() if isinstance(o, types.ModuleType)]
ours = [n for n in names if n.startswith('closedchain')]
bad = [n for n in ours if n.startswith(('closedchain_lab.grading', 'closedchain.model', 'closedchain.robots'))]
raise RuntimeError(f'{len(ours) > 5} {bad}')"""
    _, dkm = grade_dkm(hand_in, three, body)
    assert "RuntimeError: True []" in dkm.says[0]


ATTEMPTS = [
    ("open('/etc/passwd').read()", "read /etc/passwd"),
    ("open('/var/planted', 'w')", "write /var/planted"),
    ("import os\nos.remove('/etc/hostname')", "os.remove /etc/hostname"),
    ("import os\nos.rename('/etc/hostname', '/var/gone')", "os.rename /etc/hostname"),
    ("import os\nos.listdir('/root')", "os.listdir /root"),
    ("import os\nos.chmod('/etc/hostname', 0o777)", "os.chmod /etc/hostname"),
    ("import os\nos.symlink('/etc', '/var/link')", "os.symlink /etc"),
    ("import shutil\nshutil.rmtree('/usr/share')", "shutil.rmtree /usr/share"),
    ("import os\nos.fork()", "start a process"),
    ("import os\nos.system('true')", "start a process"),
    ("import subprocess\nsubprocess.run(['true'])", "start a process"),
    ("import socket\nsocket.create_connection(('127.0.0.1', 9))", "open a network connection"),
    ("import socket\nsocket.gethostbyname('example.org')", "open a network connection"),
    ("import urllib.request\nurllib.request.urlopen('http' + '://127.0.0.1:9')", "open a network connection"),
    ("import os\nos.kill(os.getppid(), 9)", "send a signal"),
    ("import gc\ngc.get_objects()", "look through the memory"),
    ("import os\nopen(f'/proc/{os.getppid()}/environ')", "read /proc/"),
    ("import ctypes\nctypes.CDLL(None).ptrace(16, 1, 0, 0)", "call the C library"),
    ("import closedchain.model\nopen(closedchain.model.__file__)", ""),  # not even found: nothing is tried
]


def test_what_a_hostile_file_tried_is_told_to_the_teacher(hand_in, three):
    """Each attempt gets nothing, and stands in the grade, in the text and in the table."""
    body = "".join(f"try:\n    exec({code!r})\nexcept BaseException:\n    pass\n" for code, _ in ATTEMPTS)
    grade, dkm = grade_dkm(hand_in, three, body + "return 0.0, 1.0")
    for _, words in ATTEMPTS:
        assert any(what.startswith(words) for what in grade.tried), (words, grade.tried)
    assert dkm.score == 0.0
    assert others_are_right(grade)
    text = "\n".join(lines(SubmissionGrade("mallory", (grade,))))
    assert "! It tried to " in text
    assert "read /etc/passwd" in text
    assert "It tried to" in table([SubmissionGrade("mallory", (grade,))])


def test_an_ordinary_file_tries_nothing(hand_in, right):
    """NumPy, a file of its own, a temporary one, printing: all within its copy."""
    head = "import numpy, tempfile, random, datetime, json, matplotlib.pyplot\nprint('hello')\n"
    head += "open('notes.txt', 'w').write('mine')\nopen('notes.txt').read()\ntempfile.TemporaryFile().write(b'x')\n"
    grade = grade_models(*hand_in("biglide", head + right("biglide_vectors")), "biglide")
    assert grade.ok, grade
    assert grade.tried == ()
