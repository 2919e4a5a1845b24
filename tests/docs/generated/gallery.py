"""docs/gallery.md: the robots of the gallery with turning pictures (docs/site/turntables.py), data, counts and papers."""

from __future__ import annotations

import tomllib
import warnings
from collections.abc import Iterable
from typing import Any

from docs.blocks import ROOT
from docs.generated.table import table
from gough.robot import Robot, UnphysicalInertiaWarning, gallery, load
from gough_papers.bibliography import Reference, basis
from inner.robot import placed_joints, placed_loops

HEAD = """# Gallery

Robots that come with gough. `gough.build("delta")` builds one, `gough view delta` shows it, `gough show delta` prints its
data, `gough cite delta` what to cite. Each number of a file carries its source, or `assumed`.
`gough convert delta mine.yaml` writes a robot to a file of your own.

Operations are those of one evaluation by the [counting rules](conventions.md#counting-rules), without friction, with the
robot's numbers as inputs. A robot whose mesh makes them depend on the machine has none here.

Written from the files by `python tests/docs/refresh.py --generated`. `python docs/site/turntables.py ROBOT` draws a picture.
"""
FUNCTIONS = {"inverse_dynamics": "inverse dynamics", "forward_dynamics": "forward dynamics"}
PICTURES = "images/gallery"


def page() -> str:
    """The whole page."""
    counts = tomllib.loads((ROOT / "tests" / "golden" / "counts.toml").read_text(encoding="utf-8"))
    groups: dict[str, list[list[str]]] = {
        "Six legs": [],
        "Two to four legs": [],
        "Mechanisms": [],
        "Bodies that bend": [],
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnphysicalInertiaWarning)
        for name in gallery():
            robot = load(name)
            groups[_group(robot)].append([f"![{name}]({PICTURES}/{name}.webp)", _told(robot, counts.get(name, {}))])
    parts = [HEAD]
    for title, rows in groups.items():
        parts += [f"## {title}", "", table(["robot at home", "what it is"], rows), ""]
    return "\n".join(parts)


def _group(robot: Robot) -> str:
    if _bends(robot):
        return "Bodies that bend"
    if not robot.legs:
        return "Mechanisms"
    return "Six legs" if len(robot.legs) == 6 else "Two to four legs"


def _bends(robot: Robot) -> bool:
    bodies = [joint.body for joint in placed_joints(robot)]
    bodies += list(robot.bodies) if isinstance(robot.platform, str) else [getattr(robot.platform, "body", None)]
    return any(body is not None and body.flexible is not None for body in bodies)


def _told(robot: Robot, counts: dict[str, Any]) -> str:
    joints = placed_joints(robot)
    numbers = {
        "leg": len(robot.legs),
        "joint": len(joints),
        "loop": len(placed_loops(robot)),
        "drive": sum(joint.joint.drive is not None for joint in joints),
    }
    file = f"../src/gough/robot/gallery/{robot.name}.yaml"
    lines = [
        f"**{robot.name}**: {robot.title}.",
        _listed(f"{n} {what}{'s' * (n != 1)}" for what, n in numbers.items() if n),
    ]
    work = [f"{said} {counts[name]['inputs']['operations']}" for name, said in FUNCTIONS.items() if name in counts]
    if work:
        lines.append(f"Operations: {', '.join(work)}.")
    lines += [f"Data: {_plain(_data(robot.source))}; [file]({file})."]
    lines += [_work(one.reference) for one in basis(robot).reasons if one.why.startswith(("named by", "numbers of"))]
    return "<br>".join(lines)


def _listed(words: Iterable[str]) -> str:
    return ", ".join(words) + "."


def _data(source: Any) -> str:
    """Where the numbers come from, in a line."""
    if not isinstance(source, dict):
        return str(source or "not stated")
    said = source.get("data") or source.get("design") or source.get("benchmark") or "assumed"
    assumed = source.get("assumed")
    more = f"; assumed: {'; '.join(assumed) if isinstance(assumed, list) else assumed}" if assumed else ""
    return f"{said}{more}".rstrip(".")


def _plain(text: str) -> str:
    return text.replace("<", "&lt;").replace("[", "\\[").replace("*", "\\*")


def _work(work: Reference) -> str:
    fields = work.fields
    title = fields.get("title", work.key).strip("{}")
    year = f", {fields['year']}" if "year" in fields else ""
    own = (ROOT / "docs" / "papers" / f"{work.key}.md").exists()
    said = f"[{title}](papers/{work.key}.md)" if own else title
    return f"{fields.get('author', '').strip('{}').replace(' and ', '; ')}: {said}{year}."
