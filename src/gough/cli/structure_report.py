"""The structure of a model as plain data: what `gough show --json` prints."""

from typing import TYPE_CHECKING, Any

from gough.cli.flexible_data import flexible_data
from gough.cli.item_data import body_data, joint_data, numbers_data, pose_data
from gough.cli.loop_data import block_data, loop_data
from gough.cli.state_columns import acceleration_columns, own_coordinates, velocity_columns

if TYPE_CHECKING:
    from gough.compilation import Model
    from gough.robot import Leg


def structure_report(model: "Model", warnings: list[str], parameters: bool = False) -> dict[str, Any]:
    """Everything `gough show` tells; SI units, angles in rad, poses as position and yaw pitch roll (R = Rz Ry Rx)."""
    from gough.compilation.openings import left_open
    from gough.robot.tree import platform_body
    from gough.simulation.results.units import units_of

    robot, layout = model.robot, model.layout
    measure = model.singularity(model.home)
    platform = platform_body(robot)
    flexible = flexible_data(model)
    report: dict[str, Any] = {
        "robot": robot.name,
        "title": robot.title,
        "source": robot.source,
        "file": robot.file,
        "gravity": robot.gravity,
        "characteristic_length": model.size,
        "freedoms": model.mobility,
        "mobility": model.mobility,
        "velocities": _velocities(model),
        "platform": None if platform is None else body_data(platform, flexible.get(platform.name)),
        "legs": [leg_data(model, k, flexible) for k in range(len(robot.legs))],
        "joints": [_tree_joint(model, joint) for joint in robot.joints],
        "bodies": [body_data(body, flexible.get(body.name)) for body in robot.bodies],
        "flexible": list(flexible.values()),
        "loops": loop_data(model),
        "redundant_closures": list(model.redundant_closures),
        "blocks": block_data(model),
        "drives": _drives(model),
        "drive_sharing": _sharing(model),
        "springs": [spring.model_dump(exclude_none=True, by_alias=True) for spring in robot.springs],
        "frames": list(model.mechanism.frames),
        "home": {
            "q": dict(zip(layout.q_names, model.home.tolist(), strict=True)),
            "parallel": float(measure.parallel),
            "inverse": float(measure.inverse) if layout.v_elastic else None,
            "serial": measure.serial.tolist(),
            "serial_names": list(measure.serial_names),
            "source": robot.home.source,
            "left_open": left_open(model),
        },
        "closure_tolerance": robot.closure_tolerance,
        "layout": {
            "q": dict(zip(layout.q_names, units_of(model).q, strict=True)),
            "v": dict(zip(layout.v_names, units_of(model).v, strict=True)),
        },
        "structural_zeros": {
            "count": len(model.pattern),
            "parameters": {model.parameter_names[i]: value for i, value in model.pattern.items()},
        },
        "parameter_count": len(model.parameters),
        "warnings": warnings,
    }
    if parameters:
        units = model.mechanism.table.units
        report["parameters"] = {
            name: {"value": float(model.parameters[i]), "unit": units[i], "structural": i in model.pattern}
            for i, name in enumerate(model.parameter_names)
        }
    return report


def _velocities(model: "Model") -> list[dict[str, str | None]]:
    """The entries of v: name, unit, the coordinate that belongs to it, columns of `gough eval`.

    Elastic rates stand last; their acceleration is found, not given: None.
    """
    from gough.simulation.results.units import units_of

    layout, elastic = model.layout, model.layout.v_names[model.layout.mobility :]
    names = zip(
        layout.v_names,
        units_of(model).v,
        [*own_coordinates(model), *elastic],
        velocity_columns(model),
        [*acceleration_columns(model), *[None] * len(elastic)],
        strict=True,
    )
    return [dict(zip(("name", "unit", "coordinate", "column", "acceleration"), entry, strict=True)) for entry in names]


def _drives(model: "Model") -> list[dict[str, Any]]:
    drives = model.mechanism.drives
    weights = [None if d.weight is None else float(model.parameters[d.weight]) for d in drives]
    return [{"name": d.name, "unit": d.unit, "weight": w} for d, w in zip(drives, weights, strict=True)]


def _sharing(model: "Model") -> str | None:
    """How redundant drives share; None where there are not more drives than freedoms."""
    drives = model.mechanism.drives
    if len(drives) <= model.mobility:
        return None
    return "least weighted norm" if any(d.weight is not None for d in drives) else "least norm"


def leg_data(model: "Model", k: int, flexible: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """One leg with its joints, bodies, cut and further loops."""
    leg: Leg = model.robot.legs[k]
    kind = model.geometry.kinds[k]
    cut = leg.cut
    letters = "".join(t[0].upper() for t in [*(j.type for j in leg.chain), *([cut.type] if cut is not None else [])])
    loops = f" + {len(leg.loops)} loop{'s' * (len(leg.loops) > 1)}" if leg.loops else ""
    return {
        "name": leg.name,
        "type": kind.upper() if kind and not loops else letters + loops,
        "geometry": "closed form" if kind else "Newton",
        "branch": list(model.geometry.branches[k]) if kind else None,
        "base": pose_data(leg.base),
        "on_platform": pose_data(leg.on_platform),
        "joints": [
            joint_data(joint)
            | {"on": joint.on, "body": body_data(joint.body, flexible.get(f"{leg.name}.{joint.body.name}"))}
            for joint in leg.chain
        ],
        "cut": None
        if cut is None
        else {
            "name": cut.name,
            "type": cut.type,
            "on_leg": pose_data(cut.on_leg),
            "axis": cut.axis,
            "axes": cut.axes,
            "length": cut.length,
            "friction": numbers_data(cut.friction),
            "limits": numbers_data(cut.limits),
        },
        "loops": [f"{leg.name}.{loop.name}" for loop in leg.loops],
        "source": leg.source,
    }


def _tree_joint(model: "Model", joint: Any) -> dict[str, Any]:
    return joint_data(joint) | {"parent": joint.parent, "child": joint.child}
