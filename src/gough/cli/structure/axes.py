"""Where joints stand in the world at home and which way their axes point: what `gough show --axes` tells."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gough.cli.output import console, say, table, vector

if TYPE_CHECKING:
    from gough.model import Model


def axis_data(model: "Model") -> list[dict[str, Any]]:
    """Every joint that moves but for the platform's freedoms, those that close loops last: a row for each of its axes.

    axis: positive turns and slides of its coordinate are about and along it; of a joint that closes a loop, its line alone.
    None: it has none of its own, as a ball.
    """
    from gough.dynamics.numbers import Numbers

    mechanism = model.mechanism
    found = model.function("link_poses").values(q=model.home[None], parameters=model.parameters)
    places = np.reshape(found["positions"], (-1, 3))
    rotations = np.reshape(found["rotations"], (-1, 3, 3))
    rows = []
    for k, link in enumerate(mechanism.links):
        if link.is_platform or link.tie is not None or not link.nu:
            continue
        axis = None if link.nu > 1 else link.sign * rotations[k] @ link.to_user[:, link.axis]
        rows.append(_row(link.joint, "", places[k], axis))
    numbers = Numbers(mechanism, model.parameters)
    for cut in mechanism.cuts:
        sides = {}
        for side, link, own in (("leg", cut.first, cut.on_first), ("platform", cut.second, cut.on_second)):
            R, p = (np.asarray(x, dtype=float) for x in numbers.placement(own))
            before, at = (np.eye(3), np.zeros(3)) if link < 0 else (rotations[link], places[link])
            sides[side] = (at + before @ p, before @ R)
        place = sides["leg"][0]
        if not any(side != "ball" for side, _ in cut.free_axes):
            rows.append(_row(cut.name, cut.type, place, None))
            continue
        for side, axis in cut.free_axes:
            rows.append(_row(cut.name, cut.type, place, sides["platform" if side == "platform" else "leg"][1][:, axis]))
    return rows


def _row(joint: str, closes: str, place: np.ndarray, axis: np.ndarray | None) -> dict[str, Any]:
    """closes: type of a joint that closes a loop."""
    told = None if axis is None else np.where(np.abs(axis) < 1e-12, 0.0, axis).tolist()
    return {"joint": joint, "closes": closes or None, "position": place.tolist(), "axis": told}


def show_axes(rows: list[dict[str, Any]]) -> None:
    """A line for each axis."""
    shown = table("joint at home, in the world", "position (m)", "axis")
    for row in rows:
        name = row["joint"] + (f" (closes a loop, {row['closes']})" if row["closes"] else "")
        axis = "none" if row["axis"] is None else vector(row["axis"], 5)
        shown.add_row(name, vector(row["position"], 5), axis)
    say()
    console().print(shown)
