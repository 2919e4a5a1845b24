"""Files are there whole or not at all, whatever ends their writing."""

import ast
import errno
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.errors import FileError, UsageError
from gough.files import whole_file, write_file, write_files


def test_a_file_is_there_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.html"
    with whole_file(path) as aside:
        assert aside.suffix == ".html" and not path.exists()
        aside.write_text("all of it")
    assert path.read_text() == "all of it" and [p.name for p in path.parent.iterdir()] == ["a.html"]


@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt])
def test_or_as_it_was(kind: type[BaseException], tmp_path: Path) -> None:
    path = tmp_path / "a.gif"
    path.write_text("before")
    with pytest.raises(kind), whole_file(path) as aside:  # noqa: PT012
        aside.write_text("half")
        raise kind
    assert path.read_text() == "before" and len(list(tmp_path.iterdir())) == 1


def test_places_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="folder"), whole_file(tmp_path):
        pass
    with pytest.raises(UsageError, match="cannot be written"), whole_file(tmp_path / "file" / "a.png"):
        pass


def test_several_files_come_together(tmp_path: Path) -> None:
    """The second cannot be written: the first is as it was."""
    (tmp_path / "a.h").write_text("before")

    def fails(file: object) -> None:
        raise OSError(errno.ENOSPC, "no space")

    with pytest.raises(FileError, match=r"b\.c: cannot be written \(No space left"):
        write_files({tmp_path / "a.h": "after", tmp_path / "b.c": fails})
    assert (tmp_path / "a.h").read_text() == "before" and len(list(tmp_path.iterdir())) == 1


def test_links_modes_and_long_names(tmp_path: Path) -> None:
    target = tmp_path / "data" / "a.txt"
    write_file(target, "one")
    target.chmod(0o640)
    (tmp_path / "link.txt").symlink_to(target)
    write_file(tmp_path / "link.txt", "two")
    assert target.read_text() == "two" and (tmp_path / "link.txt").is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640
    long = tmp_path / ("n" * 240 + ".txt")
    assert write_file(long, "three").read_text() == "three"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes by name")
def test_a_pipe_that_nobody_reads_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="cannot be written"):
        write_file(tmp_path / "pipe", "four")


def test_a_library_may_die_of_something_else(tmp_path: Path) -> None:
    """Of the full disk it speaks all the same; other faults are not blamed on the disk."""

    def hidden(file: object) -> None:
        try:
            raise OSError(errno.EFBIG, "too large")
        except OSError:
            raise ValueError("cannot close the archive") from None

    with pytest.raises(FileError, match="free some space"):
        write_file(tmp_path / "a.npz", hidden)
    with pytest.raises(ZeroDivisionError):
        write_file(tmp_path / "a.npz", lambda file: 1 // 0)
    with pytest.raises(FileNotFoundError), whole_file(tmp_path / "a.mp4"):
        raise FileNotFoundError(errno.ENOENT, "no such program", "encoder")
    assert not list(tmp_path.iterdir())


FULL = """
import resource, signal, sys, warnings
import numpy as np
warnings.simplefilter("ignore")
import gough
from gough.errors import FileError
from gough.robot.writer import dump
from gough.export import export
from gough.viewer.takeaway.export import export as page
from pathlib import Path
folder, room = Path(sys.argv[1]), int(sys.argv[2])
model = gough.build("five_bar")
run = gough.simulate(model, duration=0.05)
def ensemble():
    gough.simulate_many(model, v=np.zeros((3, 2)), duration=0.02, step=1e-3, folder=folder / "ensemble")
tasks = {
    "run.npz": lambda p: run.save(p),
    "run.csv": lambda p: run.save(p),
    "run.parquet": lambda p: run.save(p),
    "plot.png": lambda p: run.plot("q", path=p),
    "plot.svg": lambda p: run.plot("q", path=p),
    "robot.yaml": lambda p: dump(model.robot, p),
    "five_bar_mass_matrix.c": lambda p: export(model, "mass_matrix", folder),
    "page.html": lambda p: page(run, p),
    "ensemble/part000000.npz": lambda p: ensemble(),
}
if room >= 0:
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
for name, write in tasks.items():
    try:
        write(folder / name)
        print(name, "written")
    except FileError as error:
        print(name, "refused:", error)
"""


def write_all(folder: Path, room: int) -> dict[str, str]:
    """What every kind of file says, with so many bytes a file (-1: as many as it wants)."""
    environment = os.environ | {"GOUGH_CACHE_DIR": ""}
    command = [sys.executable, "-W", "ignore", "-c", FULL, str(folder), str(room)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return dict(line.split(" ", 1) for line in done.stdout.splitlines())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no limit of a file's size")
def test_a_full_disk(tmp_path: Path) -> None:
    """Every kind of file: an error that names it, the old file as it was, nothing left behind."""
    before = write_all(tmp_path, -1)
    assert set(before.values()) == {"written"} and len(before) == 9
    (tmp_path / "ensemble" / "part000000.npz").write_bytes(b"damaged")  # so that it is done again
    kept = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for name, said in write_all(tmp_path, 100).items():
        assert said.startswith("refused:") and "File too large" in said and "free some space" in said, (name, said)
        assert Path(name).stem in said and str(tmp_path) in said
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == kept


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is full")
def test_a_full_device(tmp_path: Path) -> None:
    (tmp_path / "run.npz").symlink_to("/dev/full")
    model = gough.build("five_bar")
    run = gough.Run.from_states(model, [0.0], model.home[None], np.zeros((1, 2)), np.zeros((1, 2)))
    with pytest.raises(FileError, match=r"run\.npz: cannot be written \(No space left on device\); free some space"):
        run.save(tmp_path / "run.npz")


def test_files_are_written_in_one_way() -> None:
    """Nothing but gough.files opens a file to write: else a full disk leaves half a file."""
    source = Path(gough.__file__).parents[1]
    found = []
    for path in sorted(source.glob("gough*/**/*.py")):
        text = path.read_text(encoding="utf-8")
        if path.relative_to(source).as_posix() in WRITE_THEMSELVES or not any(word in text for word in WRITERS):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and (name := opens_to_write(node)):
                found.append(f"{path.relative_to(source)}:{node.lineno}: {name}")
    assert not found


WRITERS = (
    *("open", "fdopen"),
    *("write_text", "write_bytes", "mkstemp", "savez", "savez_compressed", "savetxt", "savefig", "to_csv", "copyfile"),
)
WRITE_THEMSELVES = {
    "gough/files.py",
    "gough_papers/fried/lanes.py",  # these write to a temporary folder that a compiler or another program reads at once
    "gough_bench/program_peers.py",
    "gough_bench/ours.py",
    "gough_bench/pinocchio_cpp.py",
}


def opens_to_write(call: ast.Call) -> str:
    """What a call writes with, or ""."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name in WRITERS[2:] and isinstance(call.func, ast.Attribute):
        return name
    modes = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    if name in ("open", "fdopen") and any(set(m) & set("wax+") and set(m) <= set("rwaxbt+") for m in modes):
        return f"{name} {modes}"
    return ""
