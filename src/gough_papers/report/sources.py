"""Where the numbers of a gallery robot are from: everything its file says under `source:`."""

from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

from gough_papers.report.section import Grid


@cache
def document(robot: str) -> Any:
    """A gallery file as plain data."""
    from gough.robot.reader import read

    return read((resources.files("gough.robot") / "gallery" / f"{robot}.yaml").read_text(encoding="utf-8"), robot)[0]


def sources_grid(robot: str) -> Grid:
    """A row a statement."""
    head = ("what", "", "source")
    return Grid(head, tuple(_rows(document(robot), "robot")), (), f"`{robot}.yaml`: {document(robot)['title']}")


def _rows(data: Any, place: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(data, dict):
        if "source" in data:
            yield from _statements(data["source"], place)
        for key, value in data.items():
            if key != "source":
                yield from _rows(value, _name(value, key, place))
    elif isinstance(data, list):
        for k, value in enumerate(data):
            yield from _rows(value, _name(value, str(k), place))


def _name(value: Any, key: str, place: str) -> str:
    own = value.get("name", key) if isinstance(value, dict) else key
    return str(own) if place == "robot" else f"{place}, {own}"


def _statements(source: Any, place: str) -> Iterator[tuple[str, str, str]]:
    if not isinstance(source, dict):
        yield place, "", str(source)
        return
    for kind, value in source.items():
        for words in value if isinstance(value, list) else [value]:
            yield place, str(kind), str(words)
