"""YAML 1.2 text to plain data that remembers where each entry was written.

Only scalars, lists and mappings are built, nothing else can be: `1e-3` is a number, `on` is a text, a date is a text,
tags are refused. ruamel.yaml is imported on first use.
"""

import re
from dataclasses import dataclass
from typing import Any

from gough.robot.errors import ABSENT, Problem

MOST_NODES = 200_000


@dataclass(frozen=True)
class Mark:
    """Where something is written: line from 1, path inside the document."""

    line: int
    path: str


class Map(dict[str, Any]):
    """A mapping with the mark of itself and of each of its keys."""

    mark: Mark
    marks: dict[str, Mark]


class Seq(list[Any]):
    """A list with the mark of itself and of each of its entries."""

    mark: Mark
    marks: list[Mark]


def read(text: str, file: str) -> tuple[Any, list[Problem]]:
    """The document in a text and what is wrong with it as YAML."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    yaml = YAML(typ="safe", pure=True)
    yaml.version = (1, 2)  # type: ignore[assignment]
    try:
        node = yaml.compose(text)
    except MarkedYAMLError as error:
        at = error.problem_mark or error.context_mark
        line = None if at is None else at.line + 1
        return None, [Problem(file, line, "", ABSENT, f"not YAML: {error.problem or error.context}", "YAML 1.2")]
    except YAMLError as error:
        message = " ".join(str(error).split())
        return None, [Problem(file, None, "", ABSENT, f"not YAML: {message}", "YAML 1.2, one document")]
    if node is None:
        return None, [
            Problem(file, 1, "", ABSENT, "an empty document", "a robot with format, name, and legs or joints")
        ]
    reading = _Reading(file, yaml.constructor)
    return reading.data(node, ""), reading.problems


class _Reading:
    def __init__(self, file: str, constructor: Any):
        self.file = file
        self.constructor = constructor
        self.problems: list[Problem] = []
        self.open: set[int] = set()
        self.count = 0

    def complain(self, node: Any, path: str, value: Any, message: str, expected: str) -> None:
        self.problems.append(Problem(self.file, node.start_mark.line + 1, path, value, message, expected))

    def data(self, node: Any, path: str) -> Any:
        self.count += 1
        if id(node) in self.open or self.count > MOST_NODES:
            if self.count <= MOST_NODES + 1:
                self.complain(
                    node, path, ABSENT, "an alias that contains itself or grows without end", "a finite document"
                )
            return None
        self.open.add(id(node))
        try:
            if node.id == "mapping":
                return self.mapping(node, path)
            if node.id == "sequence":
                return self.sequence(node, path)
            return self.scalar(node, path)
        finally:
            self.open.discard(id(node))

    def mapping(self, node: Any, path: str) -> Map:
        result = Map()
        result.mark, result.marks = Mark(node.start_mark.line + 1, path), {}
        for key_node, value_node in node.value:
            key = key_node.value if key_node.id == "scalar" else None
            if key is None:
                self.complain(key_node, path, ABSENT, "a key that is not a text", "a text")
                continue
            inside = f"{path}.{key}" if path else key
            if key in result:
                first = result.marks[key].line
                self.complain(
                    key_node, inside, ABSENT, f"key {key!r} is written twice (first on line {first})", "one of them"
                )
                continue
            result[key] = self.data(value_node, inside)
            result.marks[key] = Mark(key_node.start_mark.line + 1, inside)
        return result

    def sequence(self, node: Any, path: str) -> Seq:
        result = Seq()
        result.mark, result.marks = Mark(node.start_mark.line + 1, path), []
        for index, entry in enumerate(node.value):
            inside = f"{path}[{index}]"
            result.append(self.data(entry, inside))
            result.marks.append(Mark(entry.start_mark.line + 1, inside))
        return result

    def scalar(self, node: Any, path: str) -> Any:
        tag = str(node.tag).rpartition(":")[2]
        match tag:
            case "null":
                return None
            case "bool":
                return self.constructor.construct_yaml_bool(node)
            case "int":
                return int(self.constructor.construct_yaml_int(node))
            case "float":
                return float(self.constructor.construct_yaml_float(node))
            case "str" | "timestamp" | "value" | "merge":
                return _number(node) if node.style is None else node.value
        self.complain(node, path, node.value, f"the tag {node.tag} is not allowed", "plain data")
        return None


def _number(node: Any) -> Any:
    """YAML 1.2's core schema reads `1.e3` and `+.5` as numbers; so do we, whatever the resolver missed."""
    if re.fullmatch(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", node.value):
        return float(node.value)
    return node.value
