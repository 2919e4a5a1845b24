"""Quantities of a robot, by the words that people write."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gough.dynamics.reactions import joint_links
from gough.dynamics.tilts import tilting_joints
from gough.errors import UsageError
from gough.kinematics.singularity import has_even_screws
from gough.robot.item import nearest
from gough.robot.units import UnitError, convert
from gough.studies.quantities._clearance import leg_distances
from gough.studies.quantities._compliance import AXES, FrameCompliance, FrameDeflection
from gough.studies.quantities._distances import Conditions
from gough.studies.quantities._forces import JointReactions, drive_forces
from gough.studies.quantities._margins import limit_distances, limit_variables
from gough.studies.quantities._mode_shapes import ModalAmplitudes
from gough.studies.quantities._places import JointCoordinates, coordinates, frame_places
from gough.studies.quantities._power import DrivePowers, Tilts
from gough.studies.quantities._quantity import FollowsVariables, MayRepeat, OfOutput, StudiedQuantity
from gough.studies.quantities._vibration import Frequencies, slowest_frequencies

if TYPE_CHECKING:
    from gough.model import Model

__all__ = [
    "KINDS",
    "Conditions",
    "FollowsVariables",
    "FrameCompliance",
    "FrameDeflection",
    "Frequencies",
    "JointCoordinates",
    "MayRepeat",
    "ModalAmplitudes",
    "OfOutput",
    "StudiedQuantity",
    "find_quantity",
    "limit_distances",
    "limit_variables",
    "slowest_frequencies",
]

HELD = ("frequency", "mode", "stiffness", "compliance")
"""Kinds that ask what the drives do."""
POWERS = {"power": "", "total power": "all", "drawn power": "drawn"}
PLAIN = ("tau", *POWERS, "reaction", "energy", "coordinate", "tilt", "frame", "distance", "condition", "margin")
KINDS = (*PLAIN, "deflection", *HELD)


def find_quantity(model: "Model", text: str, drives: Any = "locked") -> StudiedQuantity:
    """ "tau", "tau:DRIVE,…", "reaction:JOINT,…", "energy:kinetic", "coordinate:NAME,…", "frame:NAME", "condition:drives,…",
    "margin:JOINT,…", "deflection:FRAME,x,…", "stiffness:FRAME,xx,…", "compliance:FRAME,…", "frequency:0,…", "mode:0,…@FRAME",
    "power:DRIVE,…" (also "total power", "drawn power": sums), "tilt:JOINT,…", "distance:RADIUS".
    drives: what they do meanwhile, as for `natural_frequencies`."""
    kind, _, rest = text.partition(":")
    wanted = tuple(name.strip() for name in rest.split(",")) if rest else ()
    if kind not in KINDS:
        raise UsageError(f"quantity={text!r}: no such kind; use {nearest(kind, list(KINDS))}")
    if drives != "locked" and kind not in HELD:
        raise UsageError(f"drives={drives!r}: only for {', '.join(HELD)}; {kind!r} says itself what the drives do")
    mechanism, layout = model.mechanism, model.layout
    if kind == "tau":
        return drive_forces(model, _named(text, wanted, layout.drive_names))
    if kind == "reaction":
        known = [mechanism.links[i].joint for i in joint_links(mechanism)] + [cut.name for cut in mechanism.cuts]
        return JointReactions(_named(text, wanted, known))
    if kind == "energy":
        (part, *more) = _named(text, wanted, ("kinetic", "potential"))
        if more:
            raise UsageError(f"quantity={text!r}: name one, energy:kinetic or energy:potential")
        return OfOutput("energies", part, (0,), (part,), ("J",))
    if kind == "coordinate":
        return coordinates(model, _named(text, wanted, layout.drive_names, layout.q_names))
    if kind == "frame":
        (frame,) = _named(text, wanted, tuple(mechanism.frames)) if len(wanted) == 1 else ("",)
        if not frame:
            raise UsageError(f"quantity={text!r}: name one frame, of {', '.join(mechanism.frames)}")
        return frame_places(frame)
    if kind == "margin":
        return limit_distances(model, text, wanted)
    if kind == "frequency":
        if not all(name.isdecimal() for name in wanted):
            raise UsageError(f"quantity={text!r}: count modes from 0, the slowest: 'frequency:0,1'")
        return Frequencies(tuple(map(int, wanted)) or (0,), drives)
    if kind == "mode":
        counted, _, frame = rest.partition("@")
        modes = [k.strip() for k in counted.split(",")]
        if frame not in mechanism.frames or not all(k.isdecimal() for k in modes):
            known = nearest(frame, list(mechanism.frames))
            raise UsageError(f"quantity={text!r}: count modes from 0 and name a frame, 'mode:0,1@FRAME', {known}")
        return ModalAmplitudes(tuple(map(int, modes)), frame, drives)
    if kind in ("deflection", "stiffness", "compliance"):
        return _bent(model, text, kind, wanted, drives)
    if kind in POWERS:
        own = _named(text, wanted, layout.drive_names)
        places = tuple(layout.drive_names.index(name) for name in own)
        return DrivePowers(
            own, places, tuple(mechanism.links[mechanism.drives[k].link].u for k in places), POWERS[kind]
        )
    if kind == "tilt":
        tilting = tilting_joints(mechanism)
        if not tilting:
            raise UsageError(f"quantity={text!r}: {model.robot.name} has neither universal nor spherical joints")
        own = _named(text, wanted, tilting)
        return Tilts(own, tuple(tilting.index(name) for name in own))
    if kind == "distance":
        return leg_distances(model, text, _length(text, rest))
    loops = tuple(mechanism.loop_groups)
    if loops and has_even_screws(mechanism, model.size):
        raise UsageError(
            f"quantity={text!r}: a screw of a loop is measured by what it does, which has no derivative here"
        )
    led = [mechanism.links[d.link].u for d in mechanism.drives] == list(mechanism.selection.independent)
    return Conditions(_named(text, wanted, loops if led else ("drives", *loops)))


def _bent(model: "Model", text: str, kind: str, wanted: tuple[str, ...], drives: Any) -> StudiedQuantity:
    frames, named = tuple(model.mechanism.frames), wanted[0] if wanted else ""
    if named not in frames:
        raise UsageError(f"quantity={text!r}: name a frame, {nearest(named, list(frames))}")
    if kind == "deflection":
        for name in wanted[1:]:
            if name not in AXES:
                raise UsageError(
                    f"quantity={text!r}: no entry {name!r}; use {', '.join(AXES)}, as in 'deflection:{named},x'"
                )
        return FrameDeflection(named, tuple(AXES.index(n) for n in wanted[1:]) or tuple(range(len(AXES))))
    if drives == "free":
        raise UsageError(f"quantity={text!r}: free drives carry no load; use 'locked' or {{'stiffness': …}}")
    pairs = {a + b: (i, j) for i, a in enumerate(AXES) for j, b in enumerate(AXES)}
    for name in wanted[1:]:
        if name not in pairs:
            raise UsageError(f"quantity={text!r}: no entry {name!r}; use two of {', '.join(AXES)}, as in 'xx' or 'zrx'")
    return FrameCompliance(
        named, tuple(pairs[n] for n in wanted[1:]) or tuple(pairs.values()), kind == "stiffness", drives
    )


def _named(
    text: str, wanted: tuple[str, ...], default: Sequence[str], others: Sequence[str] | None = None
) -> tuple[str, ...]:
    """The names that were asked for, or all of the default; UsageError for one that is not there."""
    known = tuple(default if others is None else others)
    for name in wanted:
        if name not in known:
            raise UsageError(f"quantity={text!r}: no {name!r}; use {nearest(name, list(known))}")
    return wanted or tuple(default)


def _length(text: str, written: str) -> float:
    """A length (m) that may have a unit; 0 where nothing is written."""
    try:
        return float(written or 0.0)
    except ValueError:
        pass
    try:
        return convert(written, ("length",))
    except UnitError as problem:
        raise UsageError(f"quantity={text!r}: {problem}; write a radius such as 'distance:40 mm'") from None
