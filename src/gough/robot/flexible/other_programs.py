"""A flexible body from another program: its modal data, or its matrices before any reduction."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import Field

from gough import fem
from gough.robot import units
from gough.robot.files import FilePath, LengthUnit, resolve_path
from gough.robot.flexible.fields import Count, one_of
from gough.robot.flexible.shape import BodyShape
from gough.robot.item import Fault, Item, is_given, look
from gough.robot.pose import Pose

FORMATS = ("matrix_market", "abaqus", "dmig", "op4")


class FileUnits(Item):
    """The units of a file; force follows (mm, t, s: N)."""

    length: LengthUnit = "m"
    mass: Literal["kg", "g", "t"] = "kg"
    time: Literal["s", "ms"] = "s"

    def factors(self) -> "fem.UnitFactors":
        """To SI."""
        return fem.UnitFactors(*(float(units.parse_unit(u)[0]) for u in (self.length, self.mass, self.time)))


class Modal(Item):
    """Modes of another program: file (gough's own NPZ), or bulk data and op2 of a Nastran run. The body's axes are theirs.

    units: of a Nastran run, or of an NPZ that does not say. subcase: of the op2, where it has several.
    """

    file: FilePath | None = None
    bulk: FilePath | None = None
    op2: FilePath | None = None
    subcase: Count | None = None
    units: FileUnits | None = None

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        yield from one_of(data, ("file", "bulk"), "modal data")
        for key in ("op2", "subcase"):
            if is_given(data, key) and not is_given(data, "bulk"):
                yield Fault((key,), data[key], f"{key} without bulk data", "bulk: the run's .bdf file")
        if is_given(data, "bulk") and not is_given(data, "op2"):
            yield Fault(("op2",), look(data, "op2"), "bulk data without its results", "op2: the run's .op2 file")


class MatrixFiles(Item):
    """stiffness, mass: .mtx files. nodes: a table `label x y z` (Abaqus: or the .inp). freedoms: a table `label component`.

    modal: how many of the last rows belong to no node, the modes of a superelement; in a table of freedoms they are `0 0`.
    """

    stiffness: FilePath
    mass: FilePath
    nodes: FilePath
    freedoms: FilePath | None = None
    modal: Count = 0

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        if is_given(data, "freedoms") and is_given(data, "modal"):
            expected = "a line `0 0` in the table of freedoms for each"
            yield Fault(("modal",), data["modal"], "modal rows beside a table of freedoms", expected)


class DmigFile(Item):
    """file: a punch file. nodes: the bulk data or a table. stiffness, mass: names of its matrices."""

    file: FilePath
    nodes: FilePath
    stiffness: str = "KAAX"
    mass: str = "MAAX"


class Op4File(Item):
    """file: an .op4. nodes: the bulk data or a table. freedoms: a table. stiffness, mass: names of its matrices."""

    file: FilePath
    nodes: FilePath
    freedoms: FilePath
    stiffness: str = "KAA"
    mass: str = "MAA"


class Matrices(BodyShape):
    """Stiffness and mass matrices of another program, in one of four formats; pose places their axes in the body (m)."""

    matrix_market: MatrixFiles | None = None
    abaqus: MatrixFiles | None = None
    dmig: DmigFile | None = None
    op4: Op4File | None = None
    units: FileUnits = Field(default_factory=FileUnits)
    placement: Pose = Field(default_factory=Pose, alias="pose")

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        yield from one_of(data, FORMATS, "format of the matrices")

    def finite_elements(self, points: Sequence[np.ndarray], file: str | None) -> "fem.FiniteElements":
        """Elements from the matrices."""
        pose = self.placement
        return fem.place_elements(self._in_their_axes(file), pose.rotation(), np.array(pose.position))

    def _in_their_axes(self, file: str | None) -> "fem.FiniteElements":
        def path(written: str) -> Path:
            return resolve_path(written, file)

        unit = self.units.factors()
        if (m := self.matrix_market or self.abaqus) is not None:
            reader = fem.read_abaqus_matrices if self.matrix_market is None else fem.read_matrix_market
            freedoms = None if m.freedoms is None else path(m.freedoms)
            return reader(path(m.stiffness), path(m.mass), path(m.nodes), freedoms, unit, m.modal)
        if (d := self.dmig) is not None:
            return fem.read_nastran_dmig(path(d.file), path(d.nodes), d.stiffness, d.mass, unit)
        o = self.op4
        assert o is not None
        return fem.read_nastran_op4(path(o.file), path(o.nodes), path(o.freedoms), o.stiffness, o.mass, unit)
