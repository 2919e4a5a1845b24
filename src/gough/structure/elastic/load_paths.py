"""Loads that a flexible body's shapes cannot give way to: joints and wrenches act there, and the basis has no shape for them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.errors import StructureError, UsageError
from gough.fem.reduction.compliance import MissingCompliance, missing_compliance
from gough.joints import ALL
from gough.robot import Robot
from gough.robot.flexible import Flexible
from gough.robot.flexible.modes import ShapeChoice
from gough.robot.tree import bodies, placed_joints, placed_loops
from gough.structure.elastic._reduction import tied_body
from gough.structure.elastic.bodies import attached_points, compose_base, held_points, in_words, point_key, spell_point

FORCES_ALONE = [name for name, joint in ALL.items() if joint.carries_no_moment]
"""Closures that carry no moment."""
TOLD = 0.5
"""Part of a compliance whose absence is told: with that much missing, shapes do not follow a load at all."""


@dataclass(frozen=True)
class LoadPath:
    """A load that the shapes of some bodies do not follow; see `MissingCompliance`."""

    bodies: tuple[str, ...]
    missing: MissingCompliance
    remedy: str

    def __str__(self) -> str:
        m = self.missing
        names = self.bodies[0] + (f" (and {len(self.bodies) - 1} like it)" if len(self.bodies) > 1 else "")
        way = "(" + ", ".join(f"{x + 0.0:.3g}" for x in m.direction) + ")"
        about = "along" if m.kind == "force" else "about"
        unit = "m/N" if m.kind == "force" else "rad/(N m)"
        return (
            f"{names}: its shapes do not follow a {m.kind} {about} {way} (body axes) at {m.frame}: {100 * m.share:.3g} % of its "
            f"compliance there, {m.compliance:.3g} {unit}, is missing. If such a load acts, {self.remedy}"
        )

    def data(self) -> dict[str, Any]:
        """The keys that `gough check --json` and `gough modes --json` write."""
        m = self.missing
        numbers = {"direction": m.direction.tolist(), "compliance": m.compliance, "missing": m.share}
        return {"bodies": list(self.bodies), "frame": m.frame, "kind": m.kind, **numbers, "text": str(self)}


def load_paths(robot: Robot, least: float = TOLD) -> list[LoadPath]:
    """Where at least that part of a compliance is missing, bodies that are alike together; modal data is not looked at."""
    found: dict[tuple, tuple[list[str], MissingCompliance, str]] = {}
    for name, points in attached_points(robot).items():
        body = bodies(robot)[name]
        if not isinstance(body.flexible, Flexible) or body.flexible.modes is None:
            continue
        carried, held = held_points(robot, name, points)
        try:
            tied, choice, names = tied_body(body.flexible, body.frames, held, carried, robot.origin)
            missing = missing_compliance(tied, choice)
        except UsageError as error:
            raise StructureError(f"{name}: flexible: {in_words(str(error), body.frames, held)}") from error
        moments = _with_moments(robot, name)
        for m in missing:
            if m.share < least or (m.kind == "moment" and m.frame not in moments):
                continue
            frame = f"frame {names[m.frame]!r}" if m.frame in names else f"the point {spell_point(held[m.frame])} m"
            told = MissingCompliance(frame, m.kind, m.direction, m.compliance, m.share)
            key = (frame, m.kind, *np.round(m.direction, 6), f"{m.compliance:.6g}", f"{m.share:.6g}")
            found.setdefault(key, ([], told, _remedy(body.flexible.modes, names.get(m.frame))))[0].append(name)
    return [LoadPath(tuple(names), m, remedy) for names, m, remedy in found.values()]


def _with_moments(robot: Robot, name: str) -> set[str]:
    """Points of a body where a joint or closure that carries moments holds on; elsewhere forces alone are looked at."""
    found = set()
    for loop in placed_loops(robot):
        for body, base, pose in (
            (loop.first, loop.first_base, loop.first_pose),
            (loop.second, loop.second_base, loop.second_pose),
        ):
            if body == name and loop.type not in FORCES_ALONE:
                found.add(point_key(compose_base(base, pose)[1]))
    for joint in placed_joints(robot):
        if joint.parent == name and joint.joint.type not in FORCES_ALONE:
            found.add(point_key(compose_base(joint.base, joint.joint.placement)[1]))
    return found


def _remedy(modes: ShapeChoice, frame: str | None) -> str:
    number = 0 if modes.number is None else modes.number
    also = "" if frame is None else f", interfaces: [{frame}, …]"
    if modes.kind in ("attachment", "craig_bampton", "guyan"):
        return "name that frame under interfaces, or take more modes"
    return (
        f"take shapes that carry it: modes: {{kind: attachment, number: {number}{also}}}, or craig_bampton (more modes alone "
        "help slowly)"
    )
