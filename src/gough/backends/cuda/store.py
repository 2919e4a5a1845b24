"""Texts of kernels, kept on disk between runs beside the CPU's objects: ordering a large program takes seconds.

The machine code NVRTC makes of a text is kept by CuPy, under CUPY_CACHE_DIR.
"""

import hashlib
import json
import logging
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from gough.backends.cache import cache_folder, read_entry, write_entry
from gough.backends.llvm.store import key_of
from gough.program.program import Program

log = logging.getLogger("gough.cache")


def stored_text(programs: tuple[Program, ...], options: tuple, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """{"signature", "source"} of programs, from the cache where it is there; damaged or foreign files are made again."""
    key = _key(programs, options)
    folder = cache_folder()
    path = None if folder is None else folder / f"{key[:32]}.cuda.kernel"
    found = None if path is None else _read(path, key)
    if found is None:
        found = make()
        if path is not None:
            _write(path, key, found)
    return found


def _key(programs: tuple[Program, ...], options: tuple) -> str:
    keys = [key_of(program, ("cuda", *options), "") for program in programs]  # type: ignore[arg-type]
    digest = hashlib.sha256("".join(keys).encode())
    digest.update(_sources())
    return digest.hexdigest()


@lru_cache(maxsize=1)
def _sources() -> bytes:
    """Hash of this backend's files: an edited installation never reads stale texts."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


def _read(path: Path, key: str) -> dict[str, Any] | None:
    kept = read_entry(path)
    if kept is None:
        return None
    try:
        data = json.loads(kept)
    except (ValueError, RecursionError) as problem:
        log.warning("%s is damaged (%s); it is made again", path, problem)
        return None
    if not isinstance(data, dict) or data.get("key") != key or not isinstance(data.get("source"), str):
        log.warning("%s is of another program or damaged; it is made again", path)
        return None
    if hashlib.sha256(_body(data)).hexdigest() != data.get("digest"):
        log.warning("%s is damaged; it is made again", path)
        return None
    return {"signature": data["signature"], "source": data["source"]}


def _body(data: dict[str, Any]) -> bytes:
    return json.dumps([data["signature"], data["source"]], sort_keys=True).encode()


def _write(path: Path, key: str, made: dict[str, Any]) -> None:
    text = json.dumps({"key": key, "digest": hashlib.sha256(_body(made)).hexdigest(), **made})
    write_entry(path, text.encode())
