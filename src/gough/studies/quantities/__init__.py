"""Quantities of a robot, by the words that people write."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gough.dynamics.reactions import joint_links
from gough.errors import UsageError
from gough.kinematics.singularity import has_even_screws
from gough.robot.item import nearest
from gough.studies.quantities._distances import Conditions
from gough.studies.quantities._forces import JointReactions, drive_forces
from gough.studies.quantities._places import coordinates, frame_places
from gough.studies.quantities._quantity import OfOutput, StudiedQuantity
from gough.studies.quantities._vibration import Frequencies

if TYPE_CHECKING:
    from gough.model import Model

__all__ = ["KINDS", "StudiedQuantity", "find_quantity"]

KINDS = ("tau", "reaction", "energy", "coordinate", "frame", "condition", "frequency")


def find_quantity(model: "Model", text: str) -> StudiedQuantity:
    """ "tau", "tau:DRIVE,…", "reaction:JOINT,…", "energy:kinetic", "coordinate:NAME,…", "frame:NAME", "condition:drives,…",
    "frequency:0,…"."""
    kind, _, rest = text.partition(":")
    wanted = tuple(name.strip() for name in rest.split(",")) if rest else ()
    if kind not in KINDS:
        raise UsageError(f"quantity={text!r}: no such kind; use {nearest(kind, list(KINDS))}")
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
    if kind == "frequency":
        if not all(name.isdecimal() for name in wanted):
            raise UsageError(f"quantity={text!r}: count modes from 0, the slowest: 'frequency:0,1'")
        return Frequencies(tuple(map(int, wanted)) or (0,))
    loops = tuple(mechanism.loop_groups)
    if loops and has_even_screws(mechanism, model.size):
        raise UsageError(
            f"quantity={text!r}: a screw of a loop is measured by what it does, which has no derivative here"
        )
    led = [mechanism.links[d.link].u for d in mechanism.drives] == list(mechanism.selection.independent)
    return Conditions(_named(text, wanted, loops if led else ("drives", *loops)))


def _named(
    text: str, wanted: tuple[str, ...], default: Sequence[str], others: Sequence[str] | None = None
) -> tuple[str, ...]:
    """The names that were asked for, or all of the default; UsageError for one that is not there."""
    known = tuple(default if others is None else others)
    for name in wanted:
        if name not in known:
            raise UsageError(f"quantity={text!r}: no {name!r}; use {nearest(name, list(known))}")
    return wanted or tuple(default)
