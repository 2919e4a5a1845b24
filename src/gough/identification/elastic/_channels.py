"""What sensors see and what excites: a row or column along v for every channel.

"FRAME.x" … "FRAME.rz": motion of a named frame, or a force or moment on it, along world axes; a drive's name: its coordinate, or
its force.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import UsageError
from gough.identification.elastic._rest import RestingRobot, RestMatrices
from gough.robot.item import nearest

if TYPE_CHECKING:
    from gough.model import Model

COMPONENTS = ("x", "y", "z", "rx", "ry", "rz")


@dataclass(frozen=True)
class MotionChannel:
    """name; frame and component 0 … 5, or the number of a drive."""

    name: str
    frame: str = ""
    component: int = 0
    drive: int = -1

    def row(self, robot: RestingRobot, at: RestMatrices) -> tuple[np.ndarray, np.ndarray]:
        """(row (n,) along y, slopes (k, n))."""
        if self.drive >= 0:
            whole, slopes = at.S[:, self.drive], at.S_slopes[:, :, self.drive]
        else:
            J, dJ = robot.frame_rows(at, self.frame)
            whole, slopes = J[self.component], dJ[:, self.component]
        return whole @ at.N, slopes @ at.N + np.einsum("i,kij->kj", whole, at.N_slopes)


def read_channels(model: "Model", what: str, given: str | Sequence[str]) -> tuple[MotionChannel, ...]:
    """Channels by name."""
    drives, frames = model.layout.drive_names, model.mechanism.frames
    out = []
    for name in (given,) if isinstance(given, str) else given:
        frame, _, component = name.rpartition(".")
        if name in drives:
            out.append(MotionChannel(name, drive=drives.index(name)))
        elif frame in frames and component in COMPONENTS:
            link = model.mechanism.links[frames[frame].link]
            if link.is_platform and link.elastic is not None:
                raise UsageError(
                    f"{what}={name!r}: {frame} is flexible and its own frame floats; name a frame that is tied to it"
                )
            out.append(MotionChannel(name, frame, COMPONENTS.index(component)))
        else:
            known = [*drives, *(f"{f}.{c}" for f in frames for c in COMPONENTS)]
            raise UsageError(
                f"{what}={name!r}: no such channel; use a drive or FRAME.x … FRAME.rz of a named frame: "
                f"{nearest(name, known)}"
            )
    return tuple(out)


def channel_rows(
    robot: RestingRobot, at: RestMatrices, channels: Sequence[MotionChannel]
) -> tuple[np.ndarray, np.ndarray]:
    """(rows (channels, n), slopes (k, channels, n))."""
    rows = [channel.row(robot, at) for channel in channels]
    return np.array([r for r, _ in rows]), np.stack([s for _, s in rows], axis=1)
