"""The scripts of examples/hardware_in_the_loop as modules: what their tests share."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

from docs.blocks import ROOT

FOLDER = ROOT / "examples" / "hardware_in_the_loop"
SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")


def loaded(name: str) -> Any:
    """A script, as a module; those beside it are found."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.path.remove(str(FOLDER))
    return module


hil = loaded("rehearsal")
robots = sys.modules["robot_side"]
