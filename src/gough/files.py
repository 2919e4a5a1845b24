"""Files of the library: written whole or not at all, read with a word on what is wrong with them.

A file is written beside its place, forced to the disk, and renamed: a full disk, a signal or a crash leaves the old file as it
was. Everything that writes a file does it here.
"""

import errno
import io
import os
import secrets
import shutil
import stat
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from gough.errors import FileError, GoughError

Content = bytes | str | Callable[[BinaryIO], Any]
"""What a file holds: bytes, text (UTF-8, lines end as they are), or a function that writes to an open file."""
FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}


def write_file(path: str | Path, content: Content, *, mode: int | None = None) -> Path:
    """A file that is there whole or not at all; folders on the way are made. mode: its permissions, default the user's own
    for new files, and those of the file that is replaced."""
    return write_files({path: content}, mode=mode)[0]


def write_files(contents: Mapping[Any, Content], *, mode: int | None = None) -> list[Path]:
    """Several files that belong together: all are written aside before the first takes its place."""
    made: list[tuple[Path, Path, Path]] = []
    try:
        for given, content in contents.items():
            path = Path(given)
            with _name_troubles(path):
                target = _target(path)
                if target.exists() and not target.is_file():  # a device or a pipe cannot be replaced
                    with open(target, "wb", opener=_open_device) as file:
                        _write(file, content)
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                aside = _aside(target)
                made.append((path, target, aside))
                with open(aside, "xb") as file:
                    _write(file, content)
                    file.flush()
                    os.fsync(file.fileno())
                _like(target, aside, mode)
        for path, target, aside in made:
            with _name_troubles(path):
                os.replace(aside, target)
        for folder in {target.parent for _, target, _ in made}:
            _sync_folder(folder)
    finally:
        for _, _, aside in made:
            with suppress(OSError):
                aside.unlink(missing_ok=True)
    return [Path(path) for path in contents]


@contextmanager
def whole_file(path: str | Path) -> Iterator[Path]:
    """A path beside `path`, with the same suffix, for a program that writes to a path of its own; renamed at the end."""
    path = Path(path)
    with _name_troubles(path):
        target = _target(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        aside = _aside(target)
        aside.touch(exist_ok=False)
    try:
        with _name_troubles(path, only=aside):
            yield aside
        with _name_troubles(path):
            with open(aside, "rb+") as file:
                os.fsync(file.fileno())
            _like(target, aside, None)
            os.replace(aside, target)
            _sync_folder(target.parent)
    finally:
        with suppress(OSError):
            aside.unlink(missing_ok=True)


def make_folder(path: str | Path) -> Path:
    """A folder and those on the way to it."""
    path = Path(path)
    with _name_troubles(path, "made"):
        path.mkdir(parents=True, exist_ok=True)
    return path


def write_figure(path: str | Path, figure: Any, dpi: float) -> Path:
    """A matplotlib figure in the format its name says; a name without suffix gets .png. The path written."""
    path = Path(path)
    if not path.name:
        raise FileError(f"{path}: a folder; give the name of a figure in it, {path / 'figure.png'}")
    path = path if path.suffix else path.with_name(path.name + ".png")
    known = figure.canvas.get_supported_filetypes()
    if path.suffix[1:].lower() not in known:
        raise FileError(f"{path}: figures are written as {', '.join('.' + x for x in sorted(known))}")
    return write_file(path, lambda file: figure.savefig(file, dpi=dpi, format=path.suffix[1:].lower()))


def png_of(figure: Any, dpi: float) -> bytes:
    """A matplotlib figure as the content of a PNG file."""
    out = io.BytesIO()
    figure.savefig(out, dpi=dpi, format="png")
    return out.getvalue()


def npz(arrays: Mapping[str, Any], compressed: bool = True) -> Callable[[BinaryIO], None]:
    """Arrays as the content of an NPZ file."""
    save: Any = np.savez_compressed if compressed else np.savez
    return lambda file: save(file, **arrays)


def read_npz(path: str | Path, what: str = "an NPZ file", names: Sequence[str] | None = None) -> dict[str, np.ndarray]:
    """All arrays of an NPZ file, every byte checked against its sum; FileError names the file and what is damaged.

    what: what the file should be, for the message. names: of the arrays that are wanted, default all.
    """
    path = Path(path)
    if path.exists() and not is_plain_file(path):
        raise FileError(f"{path} is not {what}: it is a folder, a device or a pipe")
    with _name_troubles(path, "read"):
        data = path.read_bytes()
    place = ""
    try:
        found = {}
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in archive.infolist():
                name = member.filename.removesuffix(".npy")
                if names is not None and name not in names:
                    continue
                place = f", array {name!r}"
                if member.file_size > _largest(len(data)):
                    raise ValueError(f"{member.file_size} bytes cannot come from a file of {len(data)}")
                body = io.BytesIO(archive.read(member))
                found[name] = np.lib.format.read_array(body, allow_pickle=False)
                if body.read(1):
                    raise ValueError("more bytes than its shape says")
        place = ""
        missing = [name for name in names or () if name not in found]
        if missing:
            raise ValueError(f"it has no array {missing[0]!r}")
    except Exception as problem:  # zipfile, zlib and numpy have many ways to say it
        words = str(problem).split("\n")[0][:200] or type(problem).__name__
        raise FileError(f"{path} is not {what}, or it is damaged{place}: {words}") from problem
    return found


def _largest(size: int) -> int:
    """Bytes that may come from a compressed file: deflate makes at most 1032 of one."""
    return 1100 * size


def _write(file: BinaryIO, content: Content) -> None:
    if callable(content):
        content(file)
    else:
        file.write(content.encode() if isinstance(content, str) else content)


def _open_device(name: str, flags: int) -> int:
    """A device or pipe to write to; a pipe that nobody reads is refused instead of waited for."""
    handle = os.open(name, (flags & ~(os.O_CREAT | os.O_TRUNC)) | getattr(os, "O_NONBLOCK", 0))
    os.set_blocking(handle, True)
    return handle


def _target(path: Path) -> Path:
    """The place itself behind links."""
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    if target.is_dir():
        raise FileError(f"{path} is a folder; give the name of a file")
    return target


def _aside(target: Path) -> Path:
    return target.with_name(f".{target.stem[:60]}.{secrets.token_hex(4)}.part{target.suffix[:20]}")


def _like(target: Path, aside: Path, mode: int | None) -> None:
    """Permissions of the file that is replaced, or those asked for."""
    if mode is not None:
        os.chmod(aside, mode)
    elif target.exists():
        with suppress(OSError):
            shutil.copymode(target, aside)


def _sync_folder(folder: Path) -> None:
    """The new name is on the disk too (POSIX; elsewhere folders cannot be opened)."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def _name_troubles(path: Path, done: str = "written", only: Path | None = None) -> Iterator[None]:
    """Troubles of the disk by name of the file; a library may have met one and died of another. only: of other troubles than
    a full disk those with this file alone."""
    try:
        yield
    except GoughError:
        raise
    except Exception as error:
        cause: BaseException | None = error
        while cause is not None and not (isinstance(cause, OSError) and cause.errno is not None):
            cause = cause.__cause__ or cause.__context__
        if not isinstance(cause, OSError):
            raise
        full = cause.errno in FULL
        if only is not None and not full and str(cause.filename) != str(only):
            raise
        words = os.strerror(cause.errno or 0)
        kept = "; the file that was there is as it was" if done == "written" and is_plain_file(path) else ""
        remedy = "; free some space or give another folder" if full else ""
        raise FileError(f"{path}: cannot be {done} ({words}){kept}{remedy}") from error


def is_plain_file(path: Path) -> bool:
    """Whether something is there that is no folder, device or pipe."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False
