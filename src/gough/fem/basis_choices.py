"""The ways to reduce a body, as plain data; `basis.py` carries them out.

`modes` is a number or a Cut. `frame` says what the body's axes follow: "mean" (the shapes are M-orthogonal to every rigid
motion: the mass centre and the mean axes do not move with them), or the name of a tied frame, which then does not move.
"""

from dataclasses import dataclass

import numpy as np

from gough.fem.modes_choice import Cut

MEAN = "mean"


@dataclass(frozen=True)
class FreeModes:
    """Modes of the free body, rigid ones left out. align: a frame where members of degenerate pairs are told apart."""

    modes: Cut | int
    frame: str = MEAN
    align: str | None = None


@dataclass(frozen=True)
class ClampedModes:
    """Modes of the body clamped at frame `at`, whose axes the body's follow. at=None: the model is already held."""

    at: str | None
    modes: Cut | int
    align: str | None = None


@dataclass(frozen=True)
class Nodal:
    """No reduction: clamped at frame `at`, every freedom left is a coordinate. at=None: the model is already held."""

    at: str | None


@dataclass(frozen=True)
class CraigBampton:
    """Modes with all interface frames clamped, and the static shape of each unit motion of an interface frame.

    frame="mean": made modal, without the rigid motions. frame=<an interface>: that one does not move, and the other
    interfaces' motions are coordinates themselves.
    """

    interfaces: tuple[str, ...]
    modes: Cut | int
    frame: str = MEAN


@dataclass(frozen=True)
class Guyan:
    """Static condensation onto interface frames: Craig–Bampton without modes."""

    interfaces: tuple[str, ...]
    frame: str = MEAN


@dataclass(frozen=True)
class AttachmentModes:
    """Static shapes under unit forces and moments at frames `at`, with modes beside them; made modal.

    frame="mean": the free body, each load balanced by the body's inertia. frame=<a frame>: clamped there.
    """

    at: tuple[str, ...]
    modes: Cut | int = 0
    frame: str = MEAN


BasisChoice = FreeModes | ClampedModes | Nodal | CraigBampton | Guyan | AttachmentModes


@dataclass(frozen=True)
class Basis:
    """Shapes (d, m) in the freedoms of tied elements.

    held: the frame that does not move, "mean", or None where the model itself is held. modal: M is the unit matrix and K
    diagonal, exactly. labels (m,), remarks.
    """

    shapes: np.ndarray
    labels: tuple[str, ...]
    held: str | None
    modal: bool
    remarks: tuple[str, ...] = ()
