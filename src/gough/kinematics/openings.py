"""What is open at a configuration, joint by joint: how far apart, and by what angle its axes are off.

Closures say that axes are perpendicular to others, which reversed axes fulfil too: a pin put in upside down is none, so
the angle counts however small the closures are.
"""

from dataclasses import dataclass

import numpy as np

from gough.compilation.designs import ParameterRows, parameters_of_one
from gough.kinematics.linkage import LedLinkage, Linkage
from gough.structure import CutJoint, LinearClosure

TURNED = 0.5
"""1 - cosine beyond which axes in common are turned rather than not quite closed: 60 deg."""
TOLD = 1e-9
"""Error of a loop that is left open."""
SHARE = 1e-2
"""Smaller than this, relative to what is worst, a gap or an angle is not told."""


@dataclass(frozen=True)
class Opening:
    """One cut joint or coupling: gap (m) between its sides, angle (rad) between axes that should coincide or be perpendicular.

    error: the larger of the two as `closure_errors` has it, lengths over the robot's size. turned: axes point elsewhere.
    """

    cut: CutJoint | LinearClosure
    gap: float
    angle: float
    error: float
    size: float
    turned: bool

    @property
    def text(self) -> str:
        """What is open, in words without a full stop; "" where nothing is."""
        worst = max(self.gap / self.size, self.angle)
        if isinstance(self.cut, LinearClosure):
            return (
                f"off by {self.gap * 1e3:.4g} mm"
                if self.gap
                else f"off by {np.degrees(self.angle):.3g} deg" * (worst > 0)
            )
        parts = [f"{self.gap * 1e3:.4g} mm apart"] if self.gap / self.size > SHARE * worst else []
        if self.angle > SHARE * worst:
            verb = "turned by" if self.turned and not parts else "axes off by"
            parts.append(f"{verb} {np.degrees(self.angle):.3g} deg")
        return ", ".join(parts)


def openings(linkage: Linkage, q: np.ndarray, parameters: np.ndarray | None = None) -> list[Opening]:
    """Of every cut joint and coupling at q (nq,), the worst first."""
    numbers = linkage.parameters if parameters is None else parameters
    out = linkage.function("closure_residual").values(q=q[None], parameters=numbers)
    residual, misalignment = out["residual"][0], out["misalignment"][0]
    found, at = [], 0
    for cut in linkage.structure.cuts:
        axes = slice(at, at + len(cut.common_axes))
        at = axes.stop
        found.append(_opening(linkage, cut, residual[cut.row : cut.row + cut.rows], misalignment[axes], numbers))
    found += [_off(linkage, coupling, float(residual[coupling.row])) for coupling in linkage.structure.couplings]
    return sorted(found, key=lambda opening: -np.nan_to_num(opening.error, nan=np.inf))


def left_open(linkage: LedLinkage) -> list[str]:
    """What stays open at home because the description allows it: "pin: 0.0086 mm apart", the worst first."""
    if not linkage.structure.tolerances:
        return []
    return [f"{o.cut.name}: {o.text}" for o in openings(linkage, linkage.home) if o.error > TOLD]


def _off(linkage: Linkage, coupling: LinearClosure, residual: float) -> Opening:
    """A coupling by how far the coordinate that it feels most is off."""
    structure, values = linkage.structure, linkage.structure.table.values
    error = abs(residual) / coupling.scale(structure.length, values)
    slides = max(
        coupling.terms, key=lambda t: abs(t.coefficient(values)) * (structure.length if t.slides else 1.0)
    ).slides
    gap, angle = (error * structure.length, 0.0) if slides else (0.0, error)
    return Opening(coupling, gap, angle, error, structure.length, False)


def _opening(linkage: Linkage, cut: CutJoint, rows: np.ndarray, axes: np.ndarray, numbers: np.ndarray) -> Opening:
    lengths = np.array(cut.row_lengths)
    gap = float(np.linalg.norm(rows[lengths == 1]))
    if cut.length is not None:
        length = float(numbers[..., cut.length].ravel()[0])
        gap = float(np.hypot(gap, np.sqrt(max(0.0, length**2 + 2.0 * rows[lengths == 2][0])) - length))
    across = rows[lengths == 0]
    angle = float(np.arcsin(np.clip(np.abs(across).max(initial=0.0), 0.0, 1.0)))
    if len(axes) and -axes.min() > 1e-8:  # else the cosine has no digits left
        cosine = axes[0] + 1.0 if len(axes) == 1 else (axes.sum() + 2.0) / 2.0
        angle = float(np.arccos(np.clip(cosine, -1.0, 1.0)))
    error = max(gap / linkage.structure.length, float(np.abs(across).max(initial=0.0)), float(-axes.min(initial=0.0)))
    return Opening(cut, gap, angle, error, linkage.structure.length, bool(len(axes) and -axes.min() > TURNED))


def turned_places(linkage: Linkage, q: np.ndarray, parameters: ParameterRows) -> np.ndarray:
    """(n,) "pin, turned by 180 deg" of configurations q (n, nq) with a joint that is assembled turned; "" of the others."""
    places = np.full(len(q), "", dtype=object)
    if not any(cut.common_axes for cut in linkage.structure.cuts):
        return places
    axes = linkage.function("closure_residual").values(q=q, parameters=parameters)["misalignment"]
    for k in np.flatnonzero((axes < -TURNED).any(axis=-1)):
        own = parameters_of_one(parameters, int(k))
        worst = max(openings(linkage, q[k], own), key=lambda opening: (opening.turned, opening.angle))
        places[k] = f"{worst.cut.name}, turned by {np.degrees(worst.angle):.0f} deg"
    return places
