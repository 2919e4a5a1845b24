"""Random robots as descriptions: `design(family, seed)`; the same arguments give the same robot.

`legs`: six legs and a platform. `mechanisms`: every other shape. `flexible` and `elements`: with flexible bodies.
"""

from __future__ import annotations

import json
from typing import Any

from . import legs, mechanisms
from .drawing import Data

LEG_FAMILIES = legs.FAMILIES
MECHANISM_FAMILIES = mechanisms.FAMILIES


def description(family: str, seed: int, **options: Any) -> Data:
    """A random design as description data. options: telescopic (bodies' inertia follows a joint); of legs, springs too."""
    return (legs if family in LEG_FAMILIES else mechanisms).description(family, seed, **options)


def design(family: str, seed: int, **options: Any) -> Any:
    """A random `Robot` of a family."""
    from gough.robot import loads

    return loads(json.dumps(description(family, seed, **options)), file=f"<{family}_{seed}>")
