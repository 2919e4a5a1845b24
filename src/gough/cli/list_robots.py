"""`gough list`: the robots that come with the library."""

from typing import Any

from gough.cli.opening import Json, open_robot
from gough.cli.output import console, table, write_json

NUMBERS = ("legs", "joints", "loops", "drives")


def list_robots(json: Json = False) -> None:
    """List the gallery: name, title, numbers of legs, joints, loops and drives, source.

    JSON keys: robots[] with name, title, legs, joints, loops, drives, source. `gough show ROBOT` tells the freedoms.
    """
    from gough.robot import gallery

    rows = [_row(name) for name in gallery()]
    if json:
        write_json({"robots": rows})
        return
    shown = table("name", "title", *NUMBERS, "source", numbers=NUMBERS)
    for row in rows:
        shown.add_row(row["name"], row["title"], *[str(row[key]) for key in NUMBERS], row["source"])
    console().print(shown)


def _row(name: str) -> dict[str, Any]:
    from gough.robot.tree import placed_joints, placed_loops

    robot, _ = open_robot(name)
    joints = placed_joints(robot)
    counts = (
        len(robot.legs),
        len(joints),
        len(placed_loops(robot)),
        sum(joint.joint.drive is not None for joint in joints),
    )
    return {"name": name, "title": robot.title} | dict(zip(NUMBERS, counts, strict=True)) | {"source": _source(robot)}


def _source(robot: Any) -> str:
    """The paper or benchmark a robot is from, in few words; "assumed" for a design of nobody's."""
    source = robot.source
    if not isinstance(source, dict):
        return str(source or "")
    if "paper" in source:
        return str(source["paper"])
    if "benchmark" in source:
        return str(source["benchmark"]).partition(";")[0]
    return "assumed" if "assumed" in source else ""
