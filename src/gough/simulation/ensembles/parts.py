"""Parts of an ensemble on disk: written whole or not at all, known by what they were made from."""

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import UsageError

if TYPE_CHECKING:
    from gough.compilation import Model

FORMAT = 2


def fingerprint(
    model: "Model",
    law: Any,
    plan: Any,
    states: np.ndarray,
    designs: np.ndarray | None,
    believed: np.ndarray | None = None,
) -> str:
    """Hash of everything the results follow from. believed: numbers of the robot that the law computes with."""
    digest = hashlib.sha256(json.dumps([FORMAT, model.robot.name, law, plan], sort_keys=True).encode())
    for x in (model.parameters, states, designs, believed):
        digest.update(np.ascontiguousarray(np.zeros(0) if x is None else x).tobytes())
    digest.update(repr(sorted(model.pattern.items())).encode())
    return digest.hexdigest()


class Parts:
    """A folder of numbered parts, or none (folder None: nothing is kept)."""

    def __init__(self, folder: Path | None, mark: str, count: int) -> None:
        self.folder = folder
        if folder is None:
            return
        folder.mkdir(parents=True, exist_ok=True)
        head = folder / "ensemble.json"
        wanted = {"format": FORMAT, "mark": mark, "parts": count}
        if head.exists():
            try:
                known = json.loads(head.read_text(encoding="utf-8"))
            except ValueError:
                known = None
            if known != wanted:
                raise UsageError(
                    f"{folder} holds another ensemble (other robot, states, motion, steps or device): give an empty folder"
                )
        else:
            _write(head, json.dumps(wanted).encode())

    def _path(self, k: int) -> Path:
        assert self.folder is not None
        return self.folder / f"part{k:06d}.npz"

    def has(self, k: int) -> bool:
        """Whether part k is finished."""
        return self.folder is not None and self._path(k).exists()

    def read(self, k: int) -> dict[str, np.ndarray]:
        """A finished part."""
        with np.load(self._path(k)) as data:
            return {key: data[key] for key in data.files}

    def write(self, k: int, found: dict[str, np.ndarray]) -> None:
        """Keep a part."""
        if self.folder is None:
            return
        handle, name = tempfile.mkstemp(dir=self.folder, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                np.savez(file, **found)  # type: ignore[arg-type]
            os.replace(name, self._path(k))
        except BaseException:
            if os.path.exists(name):
                os.unlink(name)
            raise


def _write(path: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.replace(name, path)
