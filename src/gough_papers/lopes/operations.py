"""[Lopes, Table 1]: operations of the inertia and the Coriolis matrix, and what the simplified model saves of them.

Set beside the printed numbers: the matrices of the paper's corrected equations, counted body by body; the library's programs;
a formulation for this one robot. How the paper counted is not stated. The second and the last are counted in the tests
(`tests/papers/operations`), which hold the numbers here to the operation. Ours share what bodies have in common, so a body's own
part is what it adds: platform alone, with the actuators, with the links; numeric parameters, joint coordinates known, sines and
cosines apart.
"""

from dataclasses import dataclass
from typing import Any

from gough import Model
from gough.program import Count
from gough_papers.comparison import (
    Demonstration,
    KnownComparison,
    Tolerance,
    at_least,
    not_reproduced,
    paper_origin,
)
from gough_papers.counting import count_operations
from gough_papers.reproduction import changed_model
from gough_papers.section import Grid

Triple = tuple[int, int, int]
"""Additions, multiplications, divisions."""
PRINTED: dict[str, tuple[Triple, Triple]] = {
    "mobile platform": ((310, 590, 0), (36, 90, 0)),
    "six actuators": ((3028, 4403, 30), (297, 384, 12)),
    "translating links": ((4506, 9474, 36), (378, 1038, 30)),
    "rotating links": ((13080, 22266, 42), (900, 1758, 18)),
    "total": ((20924, 36733, 108), (1611, 3270, 60)),
}
"""{bodies: of the Coriolis matrix, and of the inertia matrix}."""
TRANSCRIBED: dict[str, tuple[Triple, Triple]] = {
    "mobile platform": ((294, 462, 0), (40, 84, 0)),
    "six actuators": ((2601, 3049, 30), (269, 307, 12)),
    "translating links": ((4704, 8892, 48), (426, 1116, 24)),
    "rotating links": ((10818, 15108, 108), (864, 1566, 48)),
    "total": ((18417, 27511, 186), (1599, 3073, 84)),
}
"""The paper's matrices counted by us: its equations corrected, our J_C, the actuators together, parameters as symbols, every body
for itself, all 36 entries, derivatives by the chain rule, zeros and ones free, roots, sines and cosines apart."""
ALONE: dict[str, tuple[Triple, Triple, Triple]] = {
    "lopes": ((332, 415, 6), (170, 179, 6), (205, 223, 6)),
    "lopes_simplified": ((325, 403, 6), (166, 172, 6), (196, 217, 6)),
}
"""{robot: of Coriolis matrix, inertia matrix and drive forces} by a formulation for this one robot."""
SIMPLIFIED = ("mobile platform", "six actuators")
"""Rows that are the simplified model."""
OPERATIONS = ("additions", "multiplications", "divisions")
QUANTITIES = ("coordinate_coriolis_matrix", "coordinate_mass_matrix", "inverse_dynamics")
MASSLESS = {"platform": (0, 1), "platform and actuators": (1,), "complete model": ()}
"""{bodies: joints of the leg's chain whose bodies have no mass}."""


@dataclass(frozen=True)
class Table1:
    """ours: {bodies, or the simplified robot: counts of Coriolis matrix, inertia matrix and drive forces}. gravity: of the
    gravitational terms of the complete model."""

    ours: dict[str, tuple[Count, Count, Count]]
    gravity: Count

    def grid(self) -> Grid:
        """The paper's rows, the same counted by us, the library's programs, the formulation for one robot."""
        head = ("", "Coriolis: add", "mul", "div", "inertia: add", "mul ", "div ", "drive forces: add", " mul", " div")
        none = ("", "", "")
        rows: list[tuple[str, ...]] = [
            (f"paper: {name}", *map(str, (*c, *m)), *none) for name, (c, m) in PRINTED.items()
        ]
        rows += [(f"its matrices, counted: {name}", *map(str, (*c, *m)), *none) for name, (c, m) in TRANSCRIBED.items()]
        for name, counts in self.ours.items():
            rows.append((f"library: {name}", *(str(n) for c in counts for n in (c.add, c.mul, c.div))))
        for name, counts in ALONE.items():
            rows.append((f"for this robot alone: {name}", *(str(n) for c in counts for n in c)))
        title = "operations of the Coriolis and the inertia matrix, and of the drive forces"
        return Grid(head, tuple(rows), head[1:], title, label="Table 1")

    def comparisons(self) -> list[KnownComparison]:
        """All 30 printed numbers beside the same matrices counted by us, and which bodies need most."""
        numbers = [
            not_reproduced(
                f"{matrix}, {operation}: {', '.join(PRINTED)}",
                [counts[k][n] for counts in TRANSCRIBED.values()],
                [counts[k][n] for counts in PRINTED.values()],
                "",
                Tolerance(0.0, "rules of counting are not stated: no allowance has a reason"),
                paper_origin("[Lopes, Table 1]"),
                note="cannot be decided: which products and derivatives the paper shares is not stated, ours is one way to count",
                form=".0f",
            )
            for k, matrix in enumerate(("Coriolis matrix", "inertia matrix"))
            for n, operation in enumerate(OPERATIONS)
        ]
        said = paper_origin(
            "[Lopes, section 3.4]: the links' matrices require “the largest relative computational effort”"
        )
        most = "the largest of two shares is more than half"
        shares = [
            at_least(
                f"{matrix}: share of the links, counted by us", _links_share(TRANSCRIBED, k), 50.0, "%", said, most
            )
            for k, matrix in enumerate(("Coriolis matrix", "inertia matrix"))
        ]
        return [*numbers, *shares]

    def texts(self) -> list[str]:
        """How it was counted, and what comes of the paper's claim."""
        coriolis, inertia = ([sum(rows["total"][k]) for rows in (TRANSCRIBED, PRINTED)] for k in range(2))
        complete = self.ours["complete model"]
        general = [c.operations / sum(alone) for c, alone in zip(complete, ALONE["lopes"], strict=True)]
        by_rows, counted, library, alone, forces, _ = self.savings().values()
        first = (
            "How the paper counted is not stated, so whether its numbers are right cannot be decided. “Its matrices, counted”: "
            "by us, of its equations with (46), (63) and (77)–(78) corrected and (59) as printed, with our J_C, which it does "
            "not print and whose third column is 1, the six actuators together by (41), parameters as symbols, every body for "
            "itself, all 36 entries, derivatives by the chain rule, zeros and ones free, roots, sines and cosines apart. They "
            f"come near: {coriolis[0]} operations in all beside its {coriolis[1]} for the Coriolis matrix, {inertia[0]} beside "
            f"its {inertia[1]} for the inertia matrix. They add up to the library's mass and Coriolis matrix to rounding "
            "(`tests/papers/test_lopes_operations.py`)."
        )
        second = (
            "The library's are single programs with shared terms, numeric parameters, joint coordinates known, sines and "
            "cosines apart. “For this robot alone”: links as thin rods, whose kinetic energy is quadratic in the velocities "
            "of their ends, with this robot's own numbers (`tests/papers/operations/lopes_rods.py`). The library's general "
            f"programs take {general[2]:.1f} times the operations of that formulation for the drive forces, {general[1]:.1f} "
            f"times for the inertia and {general[0]:.0f} times for the Coriolis matrix, which they differentiate instead of "
            "using that the links' energies are squares of rates."
        )
        third = (
            "The simplified model has “a much lower computational burden”, says the paper. For its formulation that holds: the "
            f"burden is {by_rows:.1f} times lower by its rows, {counted:.1f} times by its matrices counted by us. In the "
            f"library's programs, with shared terms, numeric parameters and joint coordinates given, it is {library:.1f} times "
            f"lower ({forces:.1f} times for the drive forces, which need no matrix). For this robot alone it is {alone:.2f} "
            "times lower; that is special to thin rods, I_Px = I_Py = ½ I_Pz and platform points that coincide."
        )
        share = [_links_share(PRINTED, k) for k in range(2)]
        bare = self.ours["platform and actuators"]
        added = [100 * (1 - b.operations / c.operations) for b, c in zip(bare, complete, strict=True)][:2]
        matrices = sum(c.operations for c in complete[:2])
        fourth = (
            f"The links' matrices take {share[0]:.1f} % of its Coriolis operations and {share[1]:.1f} % of its inertia "
            f"operations in Table 1; to the library's programs the links add {added[0]:.0f} % and {added[1]:.0f} % of the "
            "whole. Gravitational terms present “negligible computational burden”, says the paper, and counts none: the "
            f"library's take {self.gravity.operations} operations, {100 * self.gravity.operations / matrices:.1f} % of those of "
            "both matrices."
        )
        return [first, second, third, fourth]

    def savings(self) -> dict[str, float]:
        """{how it is counted: operations of the complete model over those of the simplified one}, of both matrices, or of the
        drive forces."""
        complete, simplified = self.ours["complete model"], self.ours["simplified model"]
        both = [[sum(c.operations for c in counts[:2]), counts[2].operations] for counts in (complete, simplified)]
        alone = [[sum(map(sum, counts[:2])), sum(counts[2])] for counts in ALONE.values()]
        return {
            "both matrices, rows of Table 1": _over_simplified(PRINTED),
            "both matrices, the paper's matrices counted by us": _over_simplified(TRANSCRIBED),
            "both matrices, the library's programs": both[0][0] / both[1][0],
            "both matrices, for this robot alone": alone[0][0] / alone[1][0],
            "drive forces, the library's programs": both[0][1] / both[1][1],
            "drive forces, for this robot alone": alone[0][1] / alone[1][1],
        }

    def demonstrations(self) -> list[Demonstration]:
        """Of the savings."""
        why = "a quotient of counts; the paper says “a much lower computational burden” and no number"
        return [
            Demonstration(f"complete over simplified model: {how}", f"{times:.2f}", why)
            for how, times in self.savings().items()
        ]


def _over_simplified(rows: dict[str, tuple[Triple, Triple]]) -> float:
    return sum(map(sum, rows["total"])) / sum(sum(map(sum, rows[bodies])) for bodies in SIMPLIFIED)


def _links_share(rows: dict[str, tuple[Triple, Triple]], k: int) -> float:
    """Per cent of a matrix's operations that are not of the simplified model."""
    return 100 * (1 - sum(sum(rows[bodies][k]) for bodies in SIMPLIFIED) / sum(rows["total"][k]))


def count_table_1(complete: Model, simplified: Model) -> Table1:
    """Of `lopes` and `lopes_simplified`."""
    ours = {}
    for name, joints in MASSLESS.items():
        made = complete
        if joints:
            made = changed_model(complete.robot.name, lambda data, joints=joints: _massless(data, joints))
        ours[name] = _counts(made)
    return Table1(ours | {"simplified model": _counts(simplified)}, count_operations(complete, "gravity_force"))


def _counts(model: Model) -> tuple[Count, Count, Count]:
    coriolis, inertia, force = (count_operations(model, quantity) for quantity in QUANTITIES)
    return coriolis, inertia, force


def _massless(data: Any, joints: tuple[int, ...]) -> None:
    for k in joints:
        body = data["templates"]["pus"]["chain"][k]["body"]
        body["mass"] = 0
        body.pop("inertia", None)
        body.pop("center_of_mass", None)
