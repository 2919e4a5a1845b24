"""How a body looks: a surface from a file, for the eye only."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from gough.robot.fields import PositiveNumber
from gough.robot.flexible_files import FilePath
from gough.robot.item import Fault, Item, as_error, look
from gough.robot.pose import Pose

SUFFIXES = (".stl", ".obj", ".ply")
"""Files that can be read."""


def _colour(value: Any) -> tuple[int, int, int]:
    if hasattr(value, "tolist"):
        value = value.tolist()
    expected = "three whole numbers [red, green, blue] from 0 to 255"
    if not isinstance(value, list | tuple) or len(value) != 3:
        raise as_error([Fault((), value, "not a colour", expected)])
    wrong = [
        Fault((index,), entry, "not a whole number from 0 to 255", expected)
        for index, entry in enumerate(value)
        if isinstance(entry, bool) or not isinstance(entry, int | float) or entry not in range(256)
    ]
    if wrong:
        raise as_error(wrong)
    red, green, blue = (int(entry) for entry in value)
    return red, green, blue


Colour = Annotated[
    tuple[int, int, int],
    BeforeValidator(_colour),
    WithJsonSchema(
        {
            "type": "array",
            "items": {"type": "integer", "minimum": 0, "maximum": 255},
            "minItems": 3,
            "maxItems": 3,
        }
    ),
]


class BodyMesh(Item):
    """A surface that the viewer draws instead of rods and plates. It is for looks only: no mass, inertia or contact follows.

    file: .stl, .obj or .ply, relative to the description. scale: of its lengths to m, 0.001 for a file in mm. pose: its axes in
    the body's frame. color: [red, green, blue] from 0 to 255, default the viewer's.
    """

    file: FilePath
    scale: PositiveNumber = 1.0
    placement: Pose = Field(default_factory=Pose, alias="pose")
    color: Colour | None = None

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        file = look(data, "file")
        if isinstance(file, str) and file and Path(file).suffix.lower() not in SUFFIXES:
            yield Fault(("file",), file, "a kind of file that cannot be drawn", f"one of {', '.join(SUFFIXES)}")


def is_mesh(key: Any, value: Any) -> bool:
    """Whether an entry of a description's plain data is a body's mesh."""
    return key == "mesh" and isinstance(value, Mapping) and "file" in value


def without_lost_meshes(data: Any, folder: Path) -> Any:
    """Plain data of a description without meshes whose files are not there (relative to a folder): looks can be done without."""
    if isinstance(data, list):
        return [without_lost_meshes(entry, folder) for entry in data]
    if not isinstance(data, Mapping):
        return data
    return {
        key: without_lost_meshes(value, folder)
        for key, value in data.items()
        if not (is_mesh(key, value) and not (folder / str(value["file"])).is_file())
    }
