"""MuJoCo's own model of an MJCF file, its tree projected on its equalities (`interchange.mujoco_truth`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from interchange.mujoco_truth import Truth
from reference.foreign.comparing import Reduced


class MjcfReading:
    """The equations of an MJCF file by MuJoCo, in the velocities of a model."""

    def __init__(self, file: Path, model: Any) -> None:
        self.truth = Truth(file, model)

    def reduced(self, q: np.ndarray, v: np.ndarray) -> Reduced:
        """M, h, S by projecting MuJoCo's tree on the motions that the equalities leave."""
        found = self.truth.equations(q, v)
        return Reduced(found.M, found.h, found.S, found.freedoms, max(found.gap, found.rows, found.selection))
