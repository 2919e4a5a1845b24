"""The archive: sources are compiled where there is a C compiler, all is packed so that the same model gives the same bytes."""

import io
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from gough.errors import UsageError
from gough.files import write_files

TIME = (1980, 1, 1, 0, 0, 0)
"""Of all files in an archive: the first that the format knows."""
FLAGS = ("-std=c99", "-O2", "-ffp-contract=off", "-fPIC", "-shared")
SYSTEMS = {"linux": ("linux", "so"), "darwin": ("darwin", "dylib"), "win32": ("windows", "dll")}
MACHINES = {"amd64": "x86_64", "x86_64": "x86_64", "arm64": "aarch64", "aarch64": "aarch64"}
NAMES2 = {
    ("x86_64", "linux"): "linux64",
    ("x86_64", "darwin"): "darwin64",
    ("x86_64", "windows"): "win64",
    ("aarch64", "linux"): "aarch64-linux",
    ("aarch64", "darwin"): "darwin64",
}


def compiler() -> str | None:
    """The C compiler of this machine; None without one."""
    return next((found for name in ("cc", "gcc", "clang") if (found := shutil.which(name))), None)


def binary_place(version: str, name: str) -> str | None:
    """Where this machine's binary stands in an archive; None on machines the standard has no name for."""
    system, machine = SYSTEMS.get(sys.platform), MACHINES.get(platform.machine().lower())
    if system is None or machine is None:
        return None
    folder = f"{machine}-{system[0]}" if version == "3.0" else NAMES2.get((machine, system[0]))
    return None if folder is None else f"binaries/{folder}/{name}.{system[1]}"


def compile_sources(sources: Mapping[str, str], units: tuple[str, ...], name: str, cc: str) -> bytes:
    """The shared library of the sources."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_files({folder / file: text for file, text in sources.items()})
        command = [cc, *FLAGS, *units, "-lm", "-o", name]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise UsageError(
                f"{cc} does not compile the sources: {done.stderr.strip()[:600] or f'exit {done.returncode}'}; "
                "binary=False packs them without a binary"
            )
        return (folder / name).read_bytes()


def pack(contents: Mapping[str, str | bytes]) -> bytes:
    """An archive of {path: content}, in the order of the paths."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in sorted(contents.items()):
            info = zipfile.ZipInfo(path, TIME)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(info, content)
    return out.getvalue()
