"""Compiled code is kept in the user's folder, checked before use, and never needed."""

import errno
import hashlib
import os
import struct
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest

from closedchain.errors import ClosedChainError
from closedchain.kernels import CacheWarning, Operand, cache, folder, load
from closedchain.kernels.build import Builder
from closedchain.kernels.cache import open_library
from closedchain.kernels.entry import MAGIC, Entry, pack, unpack
from closedchain.kernels.llvm import host
from closedchain.kernels.signature import Array, Signature

posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners and modes are POSIX")


class Recipe:
    """Builds the program y = factor · x, and counts how often."""

    def __init__(self, factor: float = 3.0) -> None:
        self.factor, self.built = factor, 0

    def __call__(self):
        self.built += 1
        builder = Builder()
        y = builder.emit("mul", builder.input(0, 0), builder.const(self.factor))
        return [builder.finish("times", [Operand("x", (2,))], [Operand("y")], [y])]


def times(recipe: Recipe, where: Path, key: str = "times three") -> float:
    """Open the library and call it: 3 · 5."""
    return float(open_library(key, recipe, folder=where)["times"]([5.0, 0.0]))


def entries(where: Path) -> list[Path]:
    """All files of a cache folder."""
    return sorted(where.iterdir())


def test_the_second_opening_finds_the_first(tmp_path):
    """One build, one file, the same answer."""
    recipe = Recipe()
    assert [times(recipe, tmp_path) for _ in range(3)] == [15.0] * 3
    assert recipe.built == 1
    assert len(entries(tmp_path)) == 1


def test_another_key_builds_again(tmp_path):
    """Each key has its file."""
    one, two = Recipe(3.0), Recipe(4.0)
    assert times(one, tmp_path, "times three") == 15.0
    assert times(two, tmp_path, "times four") == 20.0
    assert (one.built, two.built, len(entries(tmp_path))) == (1, 1, 2)


def test_loading_twice_in_one_process_gives_one_library(tmp_path):
    """Nothing is read or linked again, and `announce` hears of the one compilation."""
    recipe, heard = Recipe(), []
    first = load("times three", recipe, announce=heard.append, folder=tmp_path)
    entries(tmp_path)[0].unlink()
    assert load("times three", recipe, announce=heard.append, folder=tmp_path) is first
    assert len(heard) == 1
    assert "compiling" in heard[0]


def test_a_warm_opening_announces_nothing(tmp_path):
    """Messages are for those who wait."""
    times(Recipe(), tmp_path)
    open_library("times three", Recipe(), announce=pytest.fail, folder=tmp_path)


@pytest.mark.parametrize("where", [0, len(MAGIC), len(MAGIC) + 40, -1], ids=["magic", "checksum", "header", "code"])
def test_a_damaged_file_is_replaced(tmp_path, where):
    """One flipped bit, wherever it is, and the entry is built and written anew."""
    times(Recipe(), tmp_path)
    (path,) = entries(tmp_path)
    good = path.read_bytes()
    bad = bytearray(good)
    bad[where] ^= 1
    path.write_bytes(bad)
    again = Recipe()
    assert times(again, tmp_path) == 15.0
    assert again.built == 1
    assert path.read_bytes() == good


@pytest.mark.parametrize("length", [0, 1, len(MAGIC), len(MAGIC) + 32, len(MAGIC) + 35, 200, -1])
def test_a_truncated_file_is_replaced(tmp_path, length):
    """As after a crash of something that does not write atomically."""
    times(Recipe(), tmp_path)
    (path,) = entries(tmp_path)
    good = path.read_bytes()
    path.write_bytes(good[:length])
    again = Recipe()
    assert times(again, tmp_path) == 15.0
    assert (again.built, path.read_bytes()) == (1, good)


def test_an_entry_under_another_name_is_not_used(tmp_path):
    """A file renamed to another key's name is not that key's code."""
    times(Recipe(3.0), tmp_path, "times three")
    (path,) = entries(tmp_path)
    path.rename(tmp_path / cache.digest("times four", host()))
    assert times(Recipe(4.0), tmp_path, "times four") == 20.0


def test_a_packed_entry_comes_back():
    """Names, sizes, the time dimension and the code survive."""
    signature = Signature("f", (Array("x", ("t", 2)), Array("e", (0,))), (Array("y", ()),))
    entry = Entry("key", (signature,), b"\x00code\xff")
    assert unpack(pack(entry), "key") == entry
    assert unpack(pack(entry), "other") is None


def test_the_key_covers_everything_code_depends_on(monkeypatch):
    """Key text, CPU, features, versions and sources; parts cannot run into each other."""
    this = host()
    other_cpu, other_features = type(this)(this.triple, "z80", ""), type(this)(this.triple, this.cpu, "+none")
    found = [
        cache.digest("a", this),
        cache.digest("b", this),
        cache.digest("a", other_cpu),
        cache.digest("a", other_features),
    ]
    monkeypatch.setattr(cache.llvmlite, "__version__", "0.0.0")
    found.append(cache.digest("a", this))
    monkeypatch.setattr(cache, "source_digest", lambda: "edited")
    found.append(cache.digest("a", this))
    monkeypatch.setattr(cache.np, "__version__", "99.0")
    found.append(cache.digest("a", this))
    monkeypatch.setattr(cache, "source_digest", lambda: "dited")
    found += [cache.digest("ae", this)]
    assert len(set(found)) == len(found)


def test_routines_of_one_library_need_different_names(tmp_path):
    """Two programs called alike are a mistake, not a choice."""
    with pytest.raises(ClosedChainError, match="different names"):
        open_library("twice", lambda: Recipe()() * 2, folder=tmp_path)


def test_an_unknown_routine_is_an_error_that_lists_the_known(tmp_path):
    """As a dictionary, with help."""
    library = open_library("times three", Recipe(), folder=tmp_path)
    assert list(library) == ["times"]
    with pytest.raises(KeyError, match="no routine 'divide'; there are times"):
        library["divide"]


@posix
def test_the_folder_is_private(tmp_path):
    """It is made with mode 0700."""
    times(Recipe(), tmp_path / "new" / "closedchain")
    assert (tmp_path / "new" / "closedchain").stat().st_mode & 0o777 == 0o700


@posix
@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
def test_a_folder_others_can_write_is_not_used(tmp_path, mode):
    """Code that anybody may have put there is neither run nor added; the answer comes all the same."""
    times(Recipe(), tmp_path)
    (path,) = entries(tmp_path)
    tmp_path.chmod(mode)
    again = Recipe()
    with pytest.warns(CacheWarning, match=rf"mode {mode:o}.*chmod 700"):
        assert times(again, tmp_path) == 15.0
    assert again.built == 1
    assert entries(tmp_path) == [path]


@posix
def test_a_folder_of_another_user_is_not_used(tmp_path, monkeypatch):
    """Ownership counts, whatever the mode."""
    times(Recipe(), tmp_path)
    owner = tmp_path.stat().st_uid
    monkeypatch.setattr(folder.os, "geteuid", lambda: owner + 1)
    again = Recipe()
    with pytest.warns(CacheWarning, match=f"belongs to user {owner}, not to you"):
        assert times(again, tmp_path) == 15.0
    assert again.built == 1


def test_without_a_folder_code_is_compiled_in_memory(tmp_path):
    """The path leads through a file, so there can be no folder: silently, as it is nobody's fault."""
    (tmp_path / "file").write_text("in the way")
    recipe = Recipe()
    with warnings.catch_warnings(action="error"):
        assert times(recipe, tmp_path / "file" / "closedchain") == 15.0
    assert recipe.built == 1


@posix
@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_no_obstacle(tmp_path):
    """Nothing is kept, everything works."""
    tmp_path.chmod(0o500)
    recipe = Recipe()
    assert [times(recipe, tmp_path) for _ in range(2)] == [15.0, 15.0]
    tmp_path.chmod(0o700)
    assert (recipe.built, entries(tmp_path)) == (2, [])


def test_a_full_disk_leaves_nothing_behind(tmp_path, monkeypatch):
    """The temporary file goes, the answer comes."""

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(folder.os, "fsync", full)
    assert times(Recipe(), tmp_path) == 15.0
    assert entries(tmp_path) == []


def test_only_abandoned_temporary_files_are_swept(tmp_path):
    """Older than an hour goes; a neighbour's, still being written, and finished entries stay."""
    times(Recipe(), tmp_path)
    (entry,) = entries(tmp_path)
    old, new = (tmp_path / f"{folder.TEMPORARY_PREFIX}{age}" for age in ("old", "new"))
    for path, age in ((old, 3700), (new, 3500), (entry, 10_000)):
        path.touch()
        moment = path.stat().st_mtime - age
        os.utime(path, (moment, moment))
    times(Recipe(4.0), tmp_path, "times four")
    assert not old.exists()
    assert new.exists()
    assert entry.exists()


SCRIPT = """
import sys
import threading
from pathlib import Path
from closedchain.kernels import Operand, load
from closedchain.kernels.build import Builder

def build():
    if "warm" in sys.argv:
        raise SystemExit("built, although the cache is warm")
    builder = Builder()
    y = builder.emit("atan2", builder.input(0, 0), builder.input(0, 1))
    return [builder.finish(f"f{k}", [Operand("x", (2,))], [Operand("y")], [y]) for k in range(20)]

library = load("angles", build)
print(library["f19"]([1.0, 0.0]).hex(), *(name for name in ("casadi", "scipy", "sympy") if name in sys.modules))
"""


def start(where: Path, *args: str) -> subprocess.Popen[str]:
    """A process that loads the library, on a cache folder."""
    environment = os.environ | {"CLOSEDCHAIN_CACHE": str(where)}
    command = [sys.executable, "-W", "error", "-c", SCRIPT, *args]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_two_processes_may_compile_at_once_and_a_third_finds_it_ready(tmp_path):
    """All answer π/2; one file remains; the warm start imports no symbolic library."""
    for process in [start(tmp_path), start(tmp_path)]:
        output, complaints = process.communicate(timeout=120)
        assert (process.returncode, output.split(), complaints) == (0, [(np.pi / 2).hex()], "")
    assert len(entries(tmp_path)) == 1
    process = start(tmp_path, "warm")
    output, complaints = process.communicate(timeout=120)
    assert (process.returncode, output.split(), complaints) == (0, [(np.pi / 2).hex()], "")


def test_a_user_without_a_home_has_a_folder_among_temporary_files(monkeypatch, tmp_path):
    """As in a container that runs under a number: no HOME and no entry in the list of users."""

    def homeless():
        raise RuntimeError("Could not determine home directory.")

    for name in ("CLOSEDCHAIN_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(folder.sys, "platform", "linux")
    monkeypatch.setattr(folder.Path, "home", homeless)
    monkeypatch.setattr(folder.tempfile, "gettempdir", lambda: str(tmp_path))
    assert folder.default_folder() == tmp_path / f"closedchain-{os.geteuid()}"
    monkeypatch.setenv("CLOSEDCHAIN_CACHE", "~nobody-of-this-name/x")
    assert folder.default_folder() == Path("~nobody-of-this-name/x")


@pytest.mark.parametrize(
    "platform, variables, expected",
    [
        ("linux", {"XDG_CACHE_HOME": "/xdg"}, "/xdg/closedchain"),
        ("linux", {}, "/users/me/.cache/closedchain"),
        ("darwin", {}, "/users/me/Library/Caches/closedchain"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/closedchain"),
        ("linux", {"CLOSEDCHAIN_CACHE": "/mine"}, "/mine"),
    ],
)
def test_the_default_folder_follows_the_platform(platform, variables, expected, monkeypatch):
    """$CLOSEDCHAIN_CACHE first, then what each platform calls its cache."""
    for name in ("CLOSEDCHAIN_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(folder.sys, "platform", platform)
    monkeypatch.setattr(folder.Path, "home", lambda: Path("/users/me"))
    assert folder.default_folder() == Path(expected)


def kept(where: Path) -> Path:
    """A folder with one entry: its file."""
    times(Recipe(), where)
    (path,) = entries(where)
    return path


@posix
def test_a_pipe_in_an_entrys_place_is_not_waited_for(tmp_path):
    """Whoever opens a pipe waits for its writer; it is replaced by a file."""
    path = kept(tmp_path)
    path.unlink()
    os.mkfifo(path)
    again, answers = Recipe(), []
    reading = threading.Thread(target=lambda: answers.append(times(again, tmp_path)), daemon=True)
    reading.start()
    reading.join(timeout=60)
    assert (answers, again.built) == ([15.0], 1)
    assert path.is_file()


@posix
def test_a_link_in_an_entrys_place_is_not_followed(tmp_path):
    """What it points at is neither run nor written to."""
    path = kept(tmp_path / "cache")
    elsewhere = tmp_path / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    content, again = elsewhere.read_bytes(), Recipe()
    assert times(again, tmp_path / "cache") == 15.0
    assert again.built == 1
    assert elsewhere.read_bytes() == content
    assert not path.is_symlink()


@posix
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_an_entry_that_others_can_write_is_not_used(tmp_path, mode):
    """As when the folder was open to others for a while."""
    path = kept(tmp_path)
    path.chmod(mode)
    again = Recipe()
    assert times(again, tmp_path) == 15.0
    assert again.built == 1
    assert path.stat().st_mode & 0o022 == 0


@posix
def test_a_link_that_somebody_else_planted_for_the_folder_is_not_followed(tmp_path, monkeypatch):
    """In /tmp anybody can make closedchain-1000, pointing at a folder of yours; a link of your own is followed."""
    (tmp_path / "mine").mkdir(mode=0o700)
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "mine")
    assert times(Recipe(), link) == 15.0
    assert len(entries(tmp_path / "mine")) == 1
    true_status = os.lstat

    def planted(path, **options):
        status = true_status(path, **options)
        return os.stat_result((*status[:4], 12345, *status[5:])) if Path(path) == link else status

    monkeypatch.setattr(folder.os, "lstat", planted)
    again = Recipe()
    with pytest.warns(CacheWarning, match="is a link of user 12345"):
        assert times(again, link, "another") == 15.0
    assert len(entries(tmp_path / "mine")) == 1


@pytest.mark.parametrize("header", [b"", b"{}", b"[]", b"nonsense", b'{"key": 3, "routines": 5}', b"\xff\xfe"])
def test_a_header_that_makes_no_sense_is_replaced(header, tmp_path):
    """Its checksum is right, as that of whoever writes such files can be."""
    path = kept(tmp_path)
    body = struct.pack("<Q", len(header)) + header + b"code"
    path.write_bytes(MAGIC + hashlib.sha256(body).digest() + body)
    again = Recipe()
    assert times(again, tmp_path) == 15.0
    assert again.built == 1


@pytest.mark.parametrize("code", [b"", b"nonsense", b"\x7fELF" + bytes(200)])
def test_code_that_is_no_object_is_replaced(code, tmp_path):
    """An entry of the right key and shape whose code cannot be linked is made again."""
    path = kept(tmp_path)
    entry = unpack(path.read_bytes(), path.name)
    path.write_bytes(pack(Entry(entry.key, entry.signatures, code)))
    again = Recipe()
    assert times(again, tmp_path) == 15.0
    assert again.built == 1
    assert times(again, tmp_path) == 15.0
    assert again.built == 1
