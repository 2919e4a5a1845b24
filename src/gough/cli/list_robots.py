"""`gough list`: the robots that come with the library."""

from typing import Any

from gough.cli.opening import Json, open_robot
from gough.cli.output import console, table, write_json


def list_robots(json: Json = False) -> None:
    """List the gallery: name, title, legs, drives, source.

    JSON keys: robots[] with name, title, legs, drives, source.
    """
    from gough.robot import gallery

    rows = [_row(name) for name in gallery()]
    if json:
        write_json({"robots": rows})
        return
    shown = table("name", "title", "legs", "drives", "source", numbers=("legs", "drives"))
    for row in rows:
        shown.add_row(row["name"], row["title"], str(row["legs"]), str(row["drives"]), row["source"])
    console().print(shown)


def _row(name: str) -> dict[str, Any]:
    robot, _ = open_robot(name)
    drives = sum(joint.drive is not None for leg in robot.legs for joint in leg.chain)
    source = robot.source.get("paper", "") if isinstance(robot.source, dict) else str(robot.source or "")
    return {"name": name, "title": robot.title, "legs": len(robot.legs), "drives": drives, "source": source}
