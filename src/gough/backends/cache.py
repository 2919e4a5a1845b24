"""The folder of compiled code on disk, and who may write to it.

What is read from it is run, and a hash that anybody can compute proves nothing: entries are believed because nobody else could
have written them. The folder and its files must be the user's own and writable by nobody else; folders and links on the way to
it belong to the user or to root, and others may write to such a folder only where its sticky bit keeps them from what is not
theirs (/tmp). Else it is said once and done without. Windows has no such numbers: there a folder under %LOCALAPPDATA% is the
user's own.
"""

import errno
import logging
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from gough.errors import CacheWarning, FileError, warn
from gough.files import write_file

log = logging.getLogger("gough.cache")

VARIABLE = "GOUGH_CACHE_DIR"
MOST_LINKS = 40
said: dict[str, str] = {}
"""What was warned of in this process: {place: text}."""


def cache_folder() -> Path | None:
    """Where compiled objects are kept: $GOUGH_CACHE_DIR, else the user's cache folder; None where it is set to "", or where
    others could have written there (a warning says so)."""
    folder = _named_folder()
    if folder is None:
        return None
    reason = reason_for_distrust(folder)
    if not reason:
        return folder
    remedy = f"give it to yourself alone (chown, chmod go-w), or set {VARIABLE} to a folder that is yours"
    _say(f"compiled code in {folder} is not used: {reason}; {remedy}", str(folder))
    return None


def _named_folder() -> Path | None:
    named = os.environ.get(VARIABLE)
    if named is not None:
        return Path(named) if named else None
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "gough"


def reason_for_distrust(folder: Path) -> str:
    """Why a folder or file may come from others; "" where it cannot, or where there is none yet."""
    if not hasattr(os, "getuid"):
        return ""
    try:
        for place in _way(folder):
            here = os.lstat(place)
            if stat.S_ISLNK(here.st_mode):
                if here.st_uid not in (os.getuid(), 0):
                    return f"the link {place} belongs to {_name(here.st_uid)}"
            elif reason := _folder_distrusted(place, here):
                return reason
        real = os.stat(folder)
    except FileNotFoundError:
        return ""
    except OSError as problem:
        return "" if problem.errno == errno.ENOTDIR else f"{problem.filename}: {problem.strerror}"
    return _shared(real)


def read_entry(path: Path) -> bytes | None:
    """A file of the cache; None where there is none, or where it may come from others (a warning says so)."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)
    except OSError as problem:
        if problem.errno == errno.ELOOP:
            _say(f"{path} is not used: it is a link; it is made again", str(path))
        return None
    here = os.fstat(handle)
    reason = _shared(here) if stat.S_ISREG(here.st_mode) else "it is no plain file"
    if reason:
        os.close(handle)
        _say(f"{path} is not used: {reason}; it is made again", str(path))
        return None
    try:
        with os.fdopen(handle, "rb") as file:
            data = file.read()
    except OSError:
        return None
    with suppress(OSError):
        os.utime(path)  # used now
    return data


def write_entry(path: Path, data: bytes) -> None:
    """Keep a file, for the user alone; a folder that cannot be written is done without."""
    try:
        make_own_folder(path.parent)
        if path.is_symlink() or (path.exists() and not path.is_file()):
            path.unlink()
        write_file(path, data, mode=0o600)
    except (OSError, FileError) as problem:
        log.warning("compiled code is not kept: %s; set %s to a folder that can be written", problem, VARIABLE)


def make_own_folder(folder: Path) -> None:
    """A folder for the user alone, and those on the way to it."""
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(mode=0o700, exist_ok=True)


def _shared(here: os.stat_result) -> str:
    """Why a folder or file is not the user's alone."""
    if not hasattr(os, "getuid"):
        return ""
    if here.st_uid != os.getuid():
        return f"it belongs to {_name(here.st_uid)}"
    if here.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"others may write to it (mode {stat.S_IMODE(here.st_mode):o})"
    return ""


def _folder_distrusted(place: Path, here: os.stat_result) -> str:
    """Why others may put something else in place of what lies in a folder on the way."""
    if here.st_uid not in (os.getuid(), 0):
        return f"{place} belongs to {_name(here.st_uid)}"
    if here.st_mode & stat.S_ISVTX:
        return ""
    if here.st_mode & stat.S_IWOTH or (here.st_mode & stat.S_IWGRP and not _alone_in(here.st_gid)):
        return f"others may write to {place} (mode {stat.S_IMODE(here.st_mode):o})"
    return ""


def _way(folder: Path) -> Iterator[Path]:
    """Every folder and link that is gone through to get into a folder."""
    rest = list(Path(os.path.abspath(folder)).parts)
    here, links = Path(rest.pop(0)), 0
    yield here
    while rest:
        part = rest.pop(0)
        here = here.parent if part == ".." else here / part
        if here.is_symlink():
            yield here
            links += 1
            if links > MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(folder))
            target = Path(os.readlink(here))
            rest = [*(target.parts[1:] if target.is_absolute() else target.parts), *rest]
            here = Path(target.anchor) if target.is_absolute() else here.parent
        elif rest:
            yield here


def _alone_in(group: int) -> bool:
    """Whether a group is the user's own, as many systems give one to every user."""
    import grp
    import pwd

    try:
        user, there = pwd.getpwuid(os.getuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return group == user.pw_gid and there.gr_name == user.pw_name and set(there.gr_mem) <= {user.pw_name}


def _name(uid: int) -> str:
    import pwd

    try:
        return f"user {pwd.getpwuid(uid).pw_name}"
    except KeyError:
        return f"user {uid}"


def _say(text: str, about: str) -> None:
    """A warning, once for each place."""
    if about not in said:
        said[about] = text
        warn(text, CacheWarning)
