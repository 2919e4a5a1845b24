"""Measurements of a standing robot: readings of its encoders, and where something saw its platform."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import checked, mapping, nothing, numbers, word, words
from gough.errors import UsageError
from gough.frozen import FrozenDict, lock_arrays
from gough.spatial.poses import pose_array, unit_quaternions

if TYPE_CHECKING:
    from gough.model import Model

COMPONENTS = ("x", "y", "z", "rx", "ry", "rz")
UNKNOWN = "unknown"
AT_ORIGIN = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
QUATERNION = 1e-3
"""By how much the length of a measured quaternion may differ from 1; it is scaled."""
FEW_POSES = 4
"""Poses below which an encoder may stand still by chance."""
LEAST = 1e-50
"""Of a standard deviation: squares of smaller ones cannot be computed with."""
SIGMAS = {"position": 1e-4, "rotation": 1e-4, "readings": 1e-5}
"""Where no sigma is given: relative to the robot's size, and rad. Their ratios count; their size is found from the residuals."""


class Measurements:
    """n standing poses: readings of encoders, and what of a frame's pose was seen.

    readings: {coordinate: (n,)} m, rad, of drives and of any other joints that have an encoder; or an array (n, drives). pose:
    (n, 7) x y z qw qx qy qz or (n, 3) positions alone, of a target on `frame` (default the platform), as the instrument sees it;
    None: encoders only. components: which of x y z rx ry rz were measured, in the instrument's axes (of rotations: about them);
    default all. An inclinometer gives rx and ry; what it does not measure may be any number. base: pose of the world in the
    instrument's frame, a pose or "unknown"; default they are the same. tool: pose of the target in `frame`, likewise.
    """

    @checked(
        readings=mapping(numbers) | numbers, pose=numbers | nothing, components=words | nothing, frame=word | nothing
    )
    def __init__(
        self,
        readings: Any,
        pose: Any = None,
        *,
        components: Sequence[str] | None = None,
        frame: str | None = None,
        base: Any = None,
        tool: Any = None,
    ) -> None:
        mapped = isinstance(readings, Mapping)
        columns = dict(readings) if mapped else {str(k): x for k, x in enumerate(np.atleast_2d(readings).T)}
        self.by_name = mapped
        self.readings: Mapping[str, np.ndarray] = FrozenDict(
            {name: np.array(x, dtype=float) for name, x in columns.items()}
        )
        if not self.readings:
            raise UsageError("Measurements: no readings; give those of the drives, {name: (n,)} or (n, drives)")
        shapes = {name: x.shape for name, x in self.readings.items()}
        if len(set(shapes.values())) > 1 or len(next(iter(shapes.values()))) != 1:
            told = ", ".join(f"{name} {shape}" for name, shape in list(shapes.items())[:4])
            raise UsageError(f"Measurements: readings have shapes {told}; each needs (n,), one number a pose")
        if not len(self):
            raise UsageError(
                "Measurements: readings of no pose; give those of the drives at several, {name: (n,)} or (n, drives)"
            )
        self.pose, positions_only = _seen(pose, len(self))
        self.components = _components(components, self.pose, positions_only)
        self.frame, self.base, self.tool = frame, _mount("base", base), _mount("tool", tool)
        if self.pose is None and (components is not None or base is not None or tool is not None):
            raise UsageError("Measurements: components, base and tool belong to a measured pose, and there is none")
        self._check_finite()
        lock_arrays([self.pose, *self.readings.values()])

    def __len__(self) -> int:
        return len(next(iter(self.readings.values())))

    def __repr__(self) -> str:
        seen = "no pose" if self.pose is None else f"{' '.join(self.components)} of {self.frame or 'the platform'}"
        return f"<gough.Measurements: {len(self)} poses, {len(self.readings)} encoders, {seen}>"

    def _check_finite(self) -> None:
        bad = {name: np.flatnonzero(~np.isfinite(x)) for name, x in self.readings.items()}
        if self.pose is not None:
            bad["pose"] = np.flatnonzero(~np.isfinite(self.pose).all(axis=1))
        told = [f"{name} at pose {', '.join(map(str, k[:5]))}" for name, k in bad.items() if len(k)]
        if told:
            raise UsageError(
                f"Measurements: not a number: {'; '.join(told[:4])}. Leave out these poses, or the encoder"
            )


def _seen(pose: Any, n: int) -> tuple[np.ndarray | None, bool]:
    """(poses (n, 7), whether only positions are meant)."""
    if pose is None:
        return None, False
    x = np.asarray(pose, dtype=float)
    if x.shape not in ((n, 7), (n, 3)):
        raise UsageError(
            f"Measurements: pose has shape {x.shape}; expected ({n}, 7), or ({n}, 3) for positions, as readings"
        )
    if x.shape[1] == 3:
        return np.concatenate([x, np.broadcast_to(AT_ORIGIN[3:], (n, 4))], axis=1), True
    length = np.linalg.norm(x[:, 3:], axis=1)
    off = np.flatnonzero(np.abs(length - 1.0) > QUATERNION)
    if len(off):
        raise UsageError(
            f"Measurements: the quaternion qw qx qy qz of pose {off[0]} has length {length[off[0]]:.6g}, of {len(off)} poses not "
            f"1; of rotation matrices give gough.Measurements(…, pose) with columns x y z qw qx qy qz"
        )
    return np.concatenate([x[:, :3], unit_quaternions(x[:, 3:])], axis=1), False


def _components(given: Sequence[str] | None, pose: np.ndarray | None, positions_only: bool) -> tuple[str, ...]:
    if pose is None:
        return ()
    wanted = tuple(given) if given is not None else COMPONENTS[:3] if positions_only else COMPONENTS
    strange = [c for c in wanted if c not in COMPONENTS]
    if strange or not wanted:
        raise UsageError(f"Measurements: components={strange or wanted!r}; use some of {', '.join(COMPONENTS)}")
    if positions_only and set(wanted) - set(COMPONENTS[:3]):
        raise UsageError(f"Measurements: components={wanted!r} of a pose (n, 3), which has x y z alone; give (n, 7)")
    return tuple(c for c in COMPONENTS if c in wanted)


def _mount(name: str, value: Any) -> np.ndarray | str:
    if isinstance(value, str):
        if value != UNKNOWN:
            raise UsageError(f"Measurements: {name}={value!r}; give a pose, or 'unknown'")
        return UNKNOWN
    pose = AT_ORIGIN if value is None else pose_array(value)
    if pose.shape != (7,) or not np.isfinite(pose).all():
        raise UsageError(f"Measurements: {name} is one pose (7,), not {pose.shape}")
    return np.concatenate([pose[:3], unit_quaternions(pose[3:])])


@dataclass(frozen=True)
class Observed:
    """Measurements named for a model: encoders (coordinates of q) and their readings (n, k), what was seen of which frame, and
    the standard deviation of each: sigma (k + components,), given: whether somebody stated it."""

    encoders: tuple[str, ...]
    readings: np.ndarray
    entries: tuple[int, ...]
    """Of the encoders in q."""
    columns: tuple[int, ...]
    """Of the encoders in u."""
    pose: np.ndarray | None
    components: tuple[int, ...]
    frame: str | None
    base: np.ndarray | None
    """Pose of the world in the instrument's frame; None: unknown."""
    tool: np.ndarray | None
    sigma: np.ndarray = field(repr=False)
    given: bool

    def __len__(self) -> int:
        return len(self.readings)

    @property
    def names(self) -> tuple[str, ...]:
        """Of all that was measured."""
        return (*self.encoders, *(COMPONENTS[k] for k in self.components))


def observe(model: "Model", m: Measurements, sigma: Mapping[str, Any] | float | None) -> Observed:
    """Measurements with the names and places of a model."""
    layout, drives = model.layout, model.layout.drive_names
    names = list(m.readings) if m.by_name else list(drives)
    if not m.by_name and len(m.readings) != len(drives):
        raise UsageError(f"readings have {len(m.readings)} columns for {len(drives)} drives: {', '.join(drives)}")
    places = {
        layout.q_names[q]: (q, u) for link in model.mechanism.links for q, u in link.plain if not link.is_platform
    }
    strange = [name for name in names if name not in places]
    if strange:
        raise UsageError(f"readings: no joint coordinate {', '.join(strange[:4])}; there are {', '.join(places)}")
    frame = _frame(model, m)
    entries, columns = zip(*(places[name] for name in names), strict=True)
    components = tuple(COMPONENTS.index(c) for c in m.components)
    base, tool = (None if isinstance(x, str) else x for x in (m.base, m.tool))
    found = _sigmas(model, sigma, names, components)
    readings = np.stack(list(m.readings.values()), axis=1)
    _demand_moving(names, readings)
    return Observed(
        tuple(names), readings, entries, columns, m.pose, components, frame, base, tool, found, sigma is not None
    )


def _demand_moving(names: Sequence[str], readings: np.ndarray) -> None:
    """UsageError for an encoder that gives one number at all poses while others move: a dead one."""
    still = np.ptp(readings, axis=0) == 0.0
    if len(readings) < FEW_POSES or still.all() or not still.any():
        return
    told = ", ".join(f"{n} ({readings[0, k]:g})" for k, n in enumerate(names) if still[k])
    raise UsageError(
        f"readings: {told} {'is' if still.sum() == 1 else 'are'} the same in all {len(readings)} poses, to the last digit, while "
        "other encoders move: a dead encoder? Leave it out, readings={coordinate: …} of the others, or measure poses that move it"
    )


def _frame(model: "Model", m: Measurements) -> str | None:
    if m.pose is None:
        return None
    frames = model.mechanism.frames
    frame = m.frame or ("platform" if "platform" in frames else None)
    if frame is None or frame not in frames:
        raise UsageError(
            f"frame={m.frame!r}: {model.robot.name} has frames {', '.join(frames) or 'none'}; name the measured one"
        )
    return frame


def _sigmas(
    model: "Model", sigma: Mapping[str, Any] | float | None, names: Sequence[str], components: Sequence[int]
) -> np.ndarray:
    """Standard deviations of readings and components; m, rad."""
    given = (
        {} if sigma is None else dict(sigma) if isinstance(sigma, Mapping) else {"position": sigma, "rotation": sigma}
    )
    seen = [COMPONENTS[k] for k in components]
    words_of = {name: (name, "readings") for name in names}
    words_of |= {c: (c, "position" if c in COMPONENTS[:3] else "rotation") for c in seen}
    unused = set(given)
    out = []
    for name, known in words_of.items():
        slides = name in COMPONENTS[:3] or (name in names and model.layout.q_units[model.layout.index(name)] == "m")
        value = SIGMAS[known[1]] * (model.size if slides else 1.0)
        for key in given:
            if key in known or ("*" in key and fnmatchcase(name, key)):
                value = float(given[key])
                unused.discard(key)
        out.append(value)
    unused -= {"position", "rotation", "readings"}
    if unused:
        raise UsageError(
            f"sigma: {', '.join(sorted(unused))} is nothing measured; use position, rotation, readings, {', '.join(words_of)}"
        )
    if not all(LEAST < x < 1 / LEAST for x in out):
        raise UsageError(f"sigma={sigma!r}: standard deviations are positive (m, rad), {LEAST:g} … {1 / LEAST:g}")
    return np.array(out)
