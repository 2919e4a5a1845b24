"""Elastic numbers that were found, put into a description: materials and damping of flexible bodies, added masses as payloads,
variables. Parameters of rigid bodies and joints go through `robot.with_parameters`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.identification.elastic._unknowns import ADDED, ElasticUnknown, Thing
from gough.robot import Body, Robot
from gough.robot.body import Payload
from gough.robot.pose import Pose
from gough.robot.robot import Platform
from gough.robot.tree import bodies


def write_numbers(
    robot: Robot, unknowns: tuple[ElasticUnknown, ...], values: np.ndarray, deviations: np.ndarray
) -> Robot:
    """The robot with other numbers, read again with all checks; UsageError names what cannot be written."""
    changes: dict[str, list[tuple[Thing, float, str]]] = {}
    variables, plain, told = {}, {}, {}
    for unknown, value, deviation in zip(unknowns, values.tolist(), deviations.tolist(), strict=True):
        source = f"identified: {{}} = {value:.6g} ± {deviation:.2g} {unknown.unit}"
        for thing in unknown.things:
            if thing.kind == "variable":
                variables[thing.target] = value
            elif thing.kind == "parameter":
                plain[thing.name], told[thing.name] = value, source.format(thing.name)
            elif thing.kind == "servo":
                raise UsageError(f"robot: {thing.name} is a gain of a controller, no number of the description")
            else:
                name = thing.target[0] if thing.kind == "body" else _owner(robot, thing)
                changes.setdefault(name, []).append((thing, value, source.format(thing.name)))
    made = robot
    for name, own in changes.items():
        body = bodies(robot)[name]
        for thing, value, source in own:
            body = _flexible(body, thing, value) if thing.kind == "body" else _loaded(body, name, thing, value)
            body = body.model_copy(update={"source": "; ".join(filter(None, (body.source, source)))})
        made = _replace_body(made, name, body)
    made = made.with_variables(variables)  # without any, too: it is read again, with all checks
    if not plain:
        return made
    write = getattr(made, "with_parameters", None)
    if write is None:
        raise UsageError(
            f"robot: {', '.join(plain)} are parameters, which this version does not write into a description; "
            "model.parameters_with({…}) is the design, fit.parameters all of it"
        )
    return write(plain, told)


def _owner(robot: Robot, thing: Thing) -> str:
    """The body that a frame belongs to."""
    frame = thing.name.removesuffix(ADDED)
    known = bodies(robot)
    if frame in known:
        return frame
    head = frame.rpartition(".")[0]
    return head if head in known else next(n for n, body in known.items() if frame in body.frames)


def _flexible(body: Body, thing: Thing, value: float) -> Body:
    """A flexible body with another number."""
    flexible, key = body.flexible, thing.target[1]
    assert flexible is not None
    if key == "damping.factor" or (key == "stiffness_factor" and flexible.modal is not None):
        raise UsageError(
            f"robot: {thing.name}: the numbers stand in another program's file; scale them there by {value:.9g}"
        )
    if key == "stiffness_factor" and (flexible.stiffness or flexible.frequencies):
        stated = {"stiffness": value, "frequencies": float(np.sqrt(value))}
        update = {k: tuple(x * f for x in getattr(flexible, k)) for k, f in stated.items() if getattr(flexible, k)}
        return body.model_copy(update={"flexible": flexible.model_copy(update=update)})
    if key.startswith("damping."):
        damping: Any = flexible.damping
        last = key.removeprefix("damping.")
        if last.startswith("ratio"):
            k = int(last[6:-1]) - 1 if last != "ratio" else 0
            ratios = tuple(value if i == k else x for i, x in enumerate(damping.ratio))
            new = damping.model_copy(update={"ratio": ratios})
        else:
            new = damping.model_copy(update={"rayleigh": damping.rayleigh.model_copy(update={last: value})})
        return body.model_copy(update={"flexible": flexible.model_copy(update={"damping": new})})
    shape = flexible.shape
    own = next(k for k in type(flexible).shapes() if getattr(flexible, k) is shape)
    material: Any = shape.material  # pyright: ignore[reportAttributeAccessIssue]
    update = {"E": material.E * value} if key == "stiffness_factor" else {key: value}
    if material.G is not None and "E" in update:  # Poisson's ratio stays
        update["G"] = material.G * update["E"] / material.E
    shape = shape.model_copy(update={"material": material.model_copy(update=update)})
    return body.model_copy(update={"flexible": flexible.model_copy(update={own: shape})})


def _loaded(body: Body, name: str, thing: Thing, value: float) -> Body:
    """A rigid body with a mass added at a frame."""
    if body.payload is not None or value < 0:
        why = "has a payload already" if body.payload is not None else f"would be {value:.3g} kg"
        raise UsageError(
            f"robot: {thing.name}: the body {why}, so that it cannot be one; find the body's parameters instead"
        )
    frame = thing.name.removesuffix(ADDED)
    last = frame if frame in body.frames else frame.rpartition(".")[2]
    at = Pose(position=body.frames[last].position) if frame != name and last in body.frames else Pose()
    return body.model_copy(update={"payload": Payload(mass=value, at=at)})


def _replace_body(robot: Robot, name: str, body: Body) -> Robot:
    if isinstance(robot.platform, Platform) and robot.platform.name == name:
        return robot.model_copy(update={"platform": robot.platform.model_copy(update={"body": body})})
    own = [k for k, one in enumerate(robot.bodies) if one.name == name]
    if own:
        return robot.model_copy(update={"bodies": _with(robot.bodies, own[0], lambda _: body)})
    for i, leg in enumerate(robot.legs):
        for j, joint in enumerate(leg.chain):
            if f"{leg.name}.{joint.body.name}" == name:
                chain = _with(leg.chain, j, lambda one: one.model_copy(update={"body": body}))
                legs = _with(robot.legs, i, lambda one: one.model_copy(update={"chain": chain}))  # noqa: B023
                return robot.model_copy(update={"legs": legs})
    raise UsageError(f"robot: {name} is no body that is written by itself")


def _with(items: Any, index: int, change: Callable[[Any], Any]) -> tuple:
    return tuple(change(x) if k == index else x for k, x in enumerate(items))
