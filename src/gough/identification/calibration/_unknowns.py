"""What a calibration may look for: numbers that place joints, and how the readings of encoders become coordinates.

coordinate = scale · reading + zero. Words stand for groups: "geometry" ("positions", "axes" and "zeros"), "positions" (lengths
that place joints, leads, rods), "axes" (angles of axes), "zeros" and "scales" (of every encoder). Names and patterns with stars
take anything geometric: "leg*.ball.on_platform.x", "leg0.slide.zero".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import UsageError
from gough.robot.item import nearest
from gough.structure import Structure

if TYPE_CHECKING:
    from gough.model import Model

ZERO, SCALE = ".zero", ".scale"
PRIOR = 0.05
"""How well numbers are known before, where nobody says it: of the robot's size, rad, 1."""
WIDEST = 10.0
"""Of the robot's size, rad, 1: numbers of a robot are not further off, whatever prior is stated."""
STEEP = 1e-6
"""Cosine of a pitch below which yaw and roll turn about the same axis."""


@dataclass(frozen=True)
class GeometricUnknown:
    """A number to be calibrated: name, unit, its value before and how well that is known (standard deviation), and either its
    place among the parameters or the encoder (a coordinate's name) whose zero or scale it is."""

    name: str
    unit: str
    value: float
    prior: float
    place: int | None = None
    encoder: str | None = None

    @property
    def is_scale(self) -> bool:
        """Whether it is the scale of an encoder."""
        return self.encoder is not None and self.name.endswith(SCALE)


def geometric_places(structure: Structure) -> list[int]:
    """Positions of all parameters that place joints, of which closures are made: not those of frames, which move nothing."""
    found: list[int] = []
    for link in structure.links:
        found += [*link.placement, *link.dimensions]
    for cut in structure.cuts:
        found += [*cut.on_first, *cut.on_second, *(i for i in (cut.length, cut.angle) if i is not None)]
    for coupling in structure.couplings:
        found += coupling.parameters
    return sorted(set(found))


def all_unknowns(model: "Model", encoders: Sequence[str]) -> dict[str, GeometricUnknown]:
    """Every geometric parameter, and zero and scale of every encoder."""
    table, layout = model.mechanism.table, model.layout
    out = {}
    for i in geometric_places(model.mechanism):
        size = PRIOR * (model.size if table.units[i] == "m" else 1.0)
        out[table.names[i]] = GeometricUnknown(
            table.names[i], table.units[i], float(model.parameters[i]), size, place=i
        )
    for name in encoders:
        unit = layout.q_units[layout.index(name)]
        size = PRIOR * (model.size if unit == "m" else 1.0)
        out[name + ZERO] = GeometricUnknown(name + ZERO, unit, 0.0, size, encoder=name)
    for name in encoders:
        out[name + SCALE] = GeometricUnknown(name + SCALE, "1", 1.0, PRIOR, encoder=name)
    return out


def choose_geometry(
    model: "Model",
    wanted: str | Sequence[str],
    encoders: Sequence[str],
    prior: float | Mapping[str, float] | None = None,
) -> list[GeometricUnknown]:
    """The unknowns that words, names and patterns mean: parameters in their order, then zeros, then scales.

    prior: their standard deviations (m, rad, 1), {word, name or pattern: σ}, what stands later counts; or one for all. More than
    ten robot sizes, 10 rad or 10 count as these: nothing of a robot is further off.
    """
    everything = all_unknowns(model, encoders)
    chosen: set[str] = set()
    for word in (wanted,) if isinstance(wanted, str) else wanted:
        found = [u.name for u in everything.values() if _belongs(u, word)]
        if not found:
            groups = ", ".join(WORDS)
            known = nearest(word, [*WORDS, *everything])
            _refuse_frames(model, word)
            raise UsageError(
                f"unknowns={word!r} names nothing of {model.robot.name} that a calibration looks for: use {groups}, or names and "
                f"patterns with * of its geometric parameters and ENCODER.zero, ENCODER.scale"
                f"{f'; did you mean {known}?' if known else ''}"
            )
        chosen |= set(found)
    if not chosen:
        raise UsageError(f"unknowns={wanted!r}: name what is to be found: {', '.join(WORDS)}, names or patterns with *")
    unknowns = [u for u in everything.values() if u.name in chosen]
    given = {} if prior is None else dict(prior) if isinstance(prior, Mapping) else {"*": prior}
    for word, sigma in given.items():
        if not (np.isfinite(sigma) and sigma > 0):
            raise UsageError(
                f"prior[{word!r}] = {sigma!r}: a standard deviation is positive; leave out of `unknowns` what is sure"
            )
        if not any(_belongs(u, word) for u in unknowns):
            raise UsageError(
                f"prior: {word!r} is none of the unknowns; use {', '.join(WORDS)}, names or patterns with *"
            )
        unknowns = [
            replace(u, prior=min(float(sigma), WIDEST * (model.size if u.unit == "m" else 1.0)))
            if _belongs(u, word)
            else u
            for u in unknowns
        ]
    return unknowns


WORDS = ("geometry", "positions", "axes", "zeros", "scales")


def _belongs(unknown: GeometricUnknown, word: str) -> bool:
    zero = unknown.encoder is not None and not unknown.is_scale
    match word:
        case "geometry":
            return not unknown.is_scale
        case "positions":
            return unknown.encoder is None and unknown.unit != "rad"
        case "axes":
            return unknown.encoder is None and unknown.unit == "rad"
        case "zeros":
            return zero
        case "scales":
            return unknown.is_scale
    return unknown.name == word or ("*" in word and fnmatchcase(unknown.name, word))


def _refuse_frames(model: "Model", word: str) -> None:
    """UsageError for parameters of frames: where a target sits is the measurement's `tool`."""
    known = [n for n in model.parameter_names if (n == word or ("*" in word and fnmatchcase(n, word)))]
    if known:
        raise UsageError(
            f"unknowns={word!r}: {', '.join(known[:3])} moves no joint, so that no loop tells it. Where the measured target "
            f"sits on its body is tool='unknown' of gough.Measurements"
        )


def steep_placements(model: "Model", seen: Sequence[str]) -> list[str]:
    """Names of placements with a pitch of ±90°, where yaw and roll are one and the same and a third turn has no number; of those
    whose angles are among the names that measurements see."""
    structure, names = model.mechanism, model.parameter_names
    places = [
        *(link.placement for link in structure.links),
        *(p for c in structure.cuts for p in (c.on_first, c.on_second)),
    ]
    found = []
    for place in places:
        if (
            len(place) == 6
            and abs(np.cos(model.parameters[place[4]])) < STEEP
            and {names[i] for i in place[3:]} & set(seen)
        ):
            found.append(names[place[4]].removesuffix(".pitch"))
    return list(dict.fromkeys(found))
