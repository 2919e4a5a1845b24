"""The structure of a model as plain data: what `gough show --json` prints."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gough.cli.states import acceleration_columns, own_coordinates, velocity_columns
from gough.robot.inertia import central
from gough.spatial.rotation import rpy_zyx_angles

if TYPE_CHECKING:
    from gough.model import Model
    from gough.robot import Body, ChainJoint, Cut, Leg, Loop, Pose
    from gough.robot.joint import TreeJoint
    from gough.structure.elastic.places import Elastic


def _variable(model: "Model", name: str) -> dict[str, Any]:
    """follows: how it is defined, where it follows from others; moves: names of parameters."""
    from gough.robot.expressions.varying import variable_unit

    free, value = name in model.variables.names, model.robot.variables[name]
    return {
        "name": name,
        "value": float(value),
        "unit": variable_unit(model.robot, name),
        "written": value.written,
        "follows": None if free else value.written,
        "moves": model.moved_parameters(name) if free else [],
    }


def structure_report(model: "Model", warnings: list[str], parameters: bool = False) -> dict[str, Any]:
    """Everything `gough show` tells; SI units, angles in rad, poses as position and yaw pitch roll (R = Rz Ry Rx)."""
    from gough.kinematics.openings import left_open
    from gough.robot.tree import platform_body
    from gough.simulation.coordinates import units_of

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
        "idle": _idle(model),
        "platform": None if platform is None else body_data(platform, flexible.get(platform.name)),
        "legs": [leg_data(model, k, flexible) for k in range(len(robot.legs))],
        "joints": [_tree_joint(model, joint) for joint in robot.joints],
        "bodies": [body_data(body, flexible.get(body.name)) for body in robot.bodies],
        "flexible": list(flexible.values()),
        "loops": loop_data(model),
        "couplings": coupling_data(model),
        "redundant_closures": list(model.redundant_closures),
        "blocks": block_data(model),
        "locked": _locked(model),
        "guide": list(getattr(robot.platform, "freedoms", None) or ()),
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
        "variables": [_variable(model, name) for name in robot.variables],
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

    Idle and elastic rates stand last; their acceleration is found, not given: None.
    """
    from gough.simulation.coordinates import units_of

    layout, elastic = model.layout, model.layout.v_names[model.layout.rigid :]
    names = zip(
        layout.v_names,
        units_of(model).v,
        [*own_coordinates(model), *elastic],
        velocity_columns(model),
        [*acceleration_columns(model), *[None] * (layout.nv - layout.mobility)],
        strict=True,
    )
    return [dict(zip(("name", "unit", "coordinate", "column", "acceleration"), entry, strict=True)) for entry in names]


def _idle(model: "Model") -> list[dict[str, Any]]:
    """Idle velocities: name, and whether it is held because it has no inertia."""
    layout, still = model.layout, model.mechanism.selection.without_inertia
    return [{"name": layout.v_names[k], "held": k in still} for k in range(layout.mobility, layout.rigid)]


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
            "angle": cut.angle,
            "length": cut.length,
            "dimensions": dimension_data(cut),
            "friction": numbers_data(cut.friction),
            "limits": numbers_data(cut.limits),
        },
        "loops": [f"{leg.name}.{loop.name}" for loop in leg.loops],
        "source": leg.source,
    }


def _tree_joint(model: "Model", joint: Any) -> dict[str, Any]:
    return joint_data(joint) | {"parent": joint.parent, "child": joint.child}


# Flexible bodies of a model as plain data.


def flexible_data(model: "Model") -> dict[str, dict[str, Any]]:
    """By full name: coordinates, frequencies (Hz), mass (kg), mass centre (m), central inertia (kg m2), stiffening (on, moments,
    rigid_motion, off), remarks.

    A frequency is that of a coordinate alone, √(stiffness/mass)/2π: for modes the body's own.
    """
    mechanism, numbers = model.mechanism, np.asarray(model.parameters)
    found: dict[str, dict[str, Any]] = {}
    for index in mechanism.flexible:
        link = mechanism.links[index]
        elastic = link.elastic
        assert elastic is not None
        mass, center, tensor = central(np.zeros(10) if link.ten is None else numbers[list(link.ten)])
        found[link.name] = {
            "body": link.name,
            "coordinates": list(model.layout.q_names[elastic.coordinates]),
            "frequencies_hz": _frequencies(elastic, numbers),
            "mass": mass,
            "center_of_mass": (link.to_user @ center).tolist(),
            "central_inertia": (link.to_user @ tensor @ link.to_user.T).tolist(),
            "stiffening": elastic.stiffening,
            "damped": any(i >= 0 for i in elastic.D),
            "remarks": list(elastic.remarks),
        }
    return found


def _frequencies(elastic: "Elastic", numbers: np.ndarray) -> list[float]:
    m = elastic.modes
    diagonal = [k * m - k * (k - 1) // 2 for k in range(m)]  # of pairs k <= l in order

    def entries(positions: tuple[int, ...]) -> np.ndarray:
        return np.array([numbers[positions[k]] if positions[k] >= 0 else 0.0 for k in diagonal])

    with np.errstate(divide="ignore", invalid="ignore"):
        return (np.sqrt(entries(elastic.K) / entries(elastic.M)) / (2 * np.pi)).tolist()


# The loops of a model as plain data: what closes them, what is redundant, which are solved together.


def loop_data(model: "Model") -> list[dict[str, Any]]:
    """Every loop: name, type, its two bodies, its closure equations by name, kept and redundant. nut: the massless body that
    stands for a loop's joint with a coordinate of its own, None for others."""
    from gough.robot.tree import placed_joints, placed_loops, platform_name

    described = {loop.name: loop for loop in placed_loops(model.robot)}
    carriers = {joint.body_name: joint for joint in placed_joints(model.robot)}
    removed = set(model.mechanism.selection.removed)
    out = []
    for cut in model.mechanism.cuts:
        rows = list(zip(range(cut.row, cut.row + cut.rows), cut.row_names, strict=True))
        loop = described.get(cut.name)
        platform = platform_name(model.robot)
        entry: dict[str, Any] = {
            "name": cut.name,
            "type": cut.type,
            "leg": None if cut.leg < 0 else model.robot.legs[cut.leg].name,
            "first": platform if loop is None else loop.first,
            "second": "pose of the platform" if loop is None else loop.second,
            "kept": [name for row, name in rows if row not in removed],
            "redundant": [name for row, name in rows if row in removed],
            "described": loop is not None,
            "nut": None,
        }
        if loop is not None:
            entry |= {
                "first_pose": pose_data(loop.first_pose),
                "second_pose": pose_data(loop.second_pose),
                "axis": loop.axis,
                "axes": loop.axes,
                "angle": loop.angle,
                "length": loop.length,
                "dimensions": dimension_data(loop.described),
                "friction": numbers_data(loop.friction),
                "limits": numbers_data(loop.limits),
            }
        if loop is not None and loop.type != loop.described.type:  # as it is written, not as it is solved
            carrier = carriers[loop.first]
            entry |= {
                "name": carrier.name,
                "type": loop.described.type,
                "first": carrier.parent,
                "first_pose": pose_data(carrier.joint.placement),
                "axis": carrier.joint.axis,
                "axes": carrier.joint.axes,
                "friction": numbers_data(carrier.joint.friction),
                "limits": numbers_data(carrier.joint.limits),
                "nut": loop.first,
            }
        out.append(entry)
    return out


def coupling_data(model: "Model") -> list[dict[str, Any]]:
    """Every coupling: name, type, leg, coefficients of the coordinates whose sum is the offset, pitch radius (m) or None."""
    mechanism, values, names = model.mechanism, model.parameters, model.layout.q_names
    removed = set(mechanism.selection.removed)
    return [
        {
            "name": c.name,
            "type": c.type,
            "leg": None if c.leg < 0 else model.robot.legs[c.leg].name,
            "coefficients": {names[t.q]: t.coefficient(values.tolist()) for t in c.terms},
            "offset": float(values[c.offset]),
            "radius": None if c.radius is None else float(values[c.radius]),
            "redundant": c.row in removed,
        }
        for c in mechanism.couplings
    ]


def block_data(model: "Model") -> list[dict[str, Any]]:
    """Blocks in solving order: the loops whose equations are solved together and the velocities they give."""
    mechanism = model.mechanism
    names = [loop["name"] for loop in loop_data(model)]
    loop_of = {
        row: name for cut, name in zip(mechanism.cuts, names, strict=True) for row in range(cut.row, cut.row + cut.rows)
    }
    loop_of |= {coupling.row: coupling.name for coupling in mechanism.couplings}
    return [
        {
            "loops": list(dict.fromkeys(loop_of[row] for row in block.rows)),
            "velocities": [mechanism.layout.u_names[c] for c in block.columns],
        }
        for block in mechanism.selection.blocks
    ]


def _locked(model: "Model") -> list[dict[str, Any]]:
    """Velocities that geometry locks: each is factor times the velocity `of`, or zero."""
    names, relations = model.layout.u_names, () if model.locked is None else model.locked.selection.relations
    return [
        {"velocity": names[r.column], "of": None if r.of is None else names[r.of], "factor": r.factor}
        for r in relations
    ]


# Items of a description as plain data: bodies, joints, poses.


def joint_data(joint: "ChainJoint | TreeJoint") -> dict[str, Any]:
    """A joint without the bodies it ties."""
    return {
        "name": joint.name,
        "type": joint.type,
        "placement": pose_data(joint.placement),
        "axis": joint.axis,
        "axes": joint.axes,
        "dimensions": dimension_data(joint),
        "friction": numbers_data(joint.friction),
        "spring": numbers_data(joint.spring),
        "armature": joint.armature,
        "drive": numbers_data(joint.drive),
        "limits": numbers_data(joint.limits),
        "source": joint.source,
    }


def dimension_data(joint: "ChainJoint | TreeJoint | Cut | Loop") -> dict[str, float]:
    """Numbers (m) that belong to the type of a joint: the lead of a screw (m per turn)."""
    from gough.joints import ALL

    return {d.key: getattr(joint, d.key) for d in ALL[joint.type].dimensions}


def body_data(body: "Body", flexible: dict[str, Any] | None = None) -> dict[str, Any]:
    """Mass (kg), mass centre (m) and inertia about it (kg m2), payload included; of a flexible body undeformed.

    weight_share: how much of its weight acts."""
    mass, center, tensor = body.central_inertia()
    if flexible is not None:
        mass, center, tensor = flexible["mass"], flexible["center_of_mass"], flexible["central_inertia"]
    return {
        "name": body.name,
        "mass": mass,
        "center_of_mass": np.asarray(center).tolist(),
        "central_inertia": np.asarray(tensor).tolist(),
        "payload": body.payload is not None,
        "weight_share": float(body.weight_share),
        "flexible": flexible is not None,
        "telescopic": None if body.telescopic is None else body.telescopic.model_dump(exclude_none=True),
        "frames": {name: pose_data(pose) for name, pose in body.frames.items()},
        "limits": None if body.limits is None else {name: list(bounds) for name, bounds in body.limits.bounds()},
        "source": body.source,
    }


def pose_data(pose: "Pose") -> dict[str, Any]:
    """Position (m) and yaw pitch roll (rad)."""
    return {"position": list(pose.position), "rpy_zyx": list(rpy_zyx_angles(pose.rotation()))}


def numbers_data(item: Any) -> Any:
    """The entries of a friction, spring, drive or limits that are not at rest at zero; None where there is none. Of a list a
    list."""
    if item is None:
        return None
    if isinstance(item, tuple):
        return [numbers_data(entry) for entry in item]
    neutral = {"gear": 1.0}
    return {
        name: value
        for name, value in item.model_dump(exclude_none=True).items()
        if name != "source" and value != neutral.get(name, 0.0)
    }
