"""What drives do while the robot vibrates."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import demand_one_of, floats
from gough.errors import UsageError

if TYPE_CHECKING:
    from gough.model import Model


def read_drives(model: "Model", drives: Any) -> tuple[str, dict[str, np.ndarray]]:
    """("locked", "free" or "servo"; stiffness and damping (drives,) of servos)."""
    if isinstance(drives, str):
        demand_one_of("drives", drives, ("locked", "free"))
        return drives, {}
    count = len(model.layout.drive_names)
    if not isinstance(drives, Mapping) or set(drives) - {"stiffness", "damping"}:
        raise UsageError(f"drives={drives!r}; use 'locked', 'free' or {{'stiffness': …, 'damping': …}}")
    out = {}
    for key in ("stiffness", "damping"):
        given = floats(f"drives[{key!r}]", drives.get(key, 0.0))
        if given.shape not in ((), (count,)) or not (given >= 0).all():
            raise UsageError(f"drives[{key!r}]: give one number, not negative, or one for each of {count} drives")
        out[key] = np.broadcast_to(given, (count,)).copy()
    return "servo", out
