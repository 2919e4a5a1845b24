"""The loops of a model as plain data: what closes them, what is redundant, which are solved together."""

from typing import TYPE_CHECKING, Any

from gough.cli.item_data import numbers_data, pose_data

if TYPE_CHECKING:
    from gough.compilation import Model


def loop_data(model: "Model") -> list[dict[str, Any]]:
    """Every loop: name, type, its two bodies, its closure equations by name, kept and redundant."""
    from gough.robot.tree import placed_loops, platform_name

    described = {loop.name: loop for loop in placed_loops(model.robot)}
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
        }
        if loop is not None:
            entry |= {
                "first_pose": pose_data(loop.first_pose),
                "second_pose": pose_data(loop.second_pose),
                "axis": loop.axis,
                "axes": loop.axes,
                "length": loop.length,
                "friction": numbers_data(loop.friction),
                "limits": numbers_data(loop.limits),
            }
        out.append(entry)
    return out


def block_data(model: "Model") -> list[dict[str, Any]]:
    """Blocks in solving order: the loops whose equations are solved together and the velocities they give."""
    mechanism = model.mechanism
    loop_of = {row: cut.name for cut in mechanism.cuts for row in range(cut.row, cut.row + cut.rows)}
    return [
        {
            "loops": list(dict.fromkeys(loop_of[row] for row in block.rows)),
            "velocities": [mechanism.layout.u_names[c] for c in block.columns],
        }
        for block in mechanism.selection.blocks
    ]
