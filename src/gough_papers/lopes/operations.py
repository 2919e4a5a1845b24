"""[Lopes, Table 1]: operations of the inertia and the Coriolis matrix, body by body, and the library's programs beside them.

Ours share what bodies have in common, so a body's own part is what it adds: platform alone, with the actuators, with the links.
How the paper counted is not stated; ours: numeric parameters, joint coordinates known, sines and cosines apart.
"""

from dataclasses import dataclass
from typing import Any

from gough import Model
from gough.program import Count
from gough_papers.comparison import KnownComparison, at_most
from gough_papers.counting import count_operations
from gough_papers.reproduction import changed_model
from gough_papers.section import Grid

PRINTED: dict[str, tuple[tuple[int, int, int], tuple[int, int, int]]] = {
    "mobile platform": ((310, 590, 0), (36, 90, 0)),
    "six actuators": ((3028, 4403, 30), (297, 384, 12)),
    "translating links": ((4506, 9474, 36), (378, 1038, 30)),
    "rotating links": ((13080, 22266, 42), (900, 1758, 18)),
    "total": ((20924, 36733, 108), (1611, 3270, 60)),
}
"""{bodies: (additions, multiplications, divisions) of the Coriolis matrix, and of the inertia matrix}."""
QUANTITIES = ("coordinate_coriolis_matrix", "coordinate_mass_matrix")
MASSLESS = {"mobile platform": (0, 1), "and six actuators": (1,), "and links: complete model": ()}
"""{bodies: joints of the leg's chain whose bodies have no mass}."""


@dataclass(frozen=True)
class Table1:
    """ours: {bodies: counts of Coriolis and inertia matrix}; force: of the drive forces without forming matrices."""

    ours: dict[str, tuple[Count, Count]]
    force: Count

    def grid(self) -> Grid:
        """The paper's rows, then ours."""
        head = ("", "Coriolis: add", "mul", "div", "inertia: add", "mul ", "div ")
        rows = [(f"paper: {name}", *map(str, (*c, *m))) for name, (c, m) in PRINTED.items()]
        for name, (c, m) in self.ours.items():
            rows.append((f"ours: {name}", *map(str, (c.add, c.mul, c.div, m.add, m.mul, m.div))))
        f = self.force
        rows.append(("ours: drive forces, no matrices", *map(str, (f.add, f.mul, f.div)), "", "", ""))
        title = "operations of the Coriolis and the inertia matrix"
        return Grid(head, tuple(rows), head[1:], title, label="Table 1")

    def comparisons(self) -> list[KnownComparison]:
        """Ours are fewer."""
        complete = self.ours["and links: complete model"]
        out = []
        for k, name in enumerate(("Coriolis matrix", "inertia matrix")):
            bound = sum(PRINTED["total"][k])
            out.append(
                at_most(f"operations, {name}", complete[k].operations, bound, "", "[Lopes, Table 1]", form=".0f")
            )
        out.append(
            at_most(
                "operations, drive forces",
                self.force.operations,
                sum(map(sum, PRINTED["total"])),
                "",
                "[Lopes, Table 1], both matrices",
                form=".0f",
                note="gravity and the solve are in ours, not in the paper's",
            )
        )
        return out


def count_table_1(model: Model) -> Table1:
    """Of `lopes`."""
    ours = {}
    for name, joints in MASSLESS.items():
        made = changed_model(model.robot.name, lambda data, joints=joints: _massless(data, joints)) if joints else model
        ours[name] = tuple(count_operations(made, quantity) for quantity in QUANTITIES)
    return Table1(ours, count_operations(model, "inverse_dynamics"))


def _massless(data: Any, joints: tuple[int, ...]) -> None:
    for k in joints:
        body = data["templates"]["pus"]["chain"][k]["body"]
        body["mass"] = 0
        body.pop("inertia", None)
        body.pop("center_of_mass", None)
