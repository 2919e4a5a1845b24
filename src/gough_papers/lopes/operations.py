"""[Lopes, Table 1]: operations of the inertia and the Coriolis matrix, and what the simplified model saves of them.

Set beside the printed numbers: the matrices of the paper's corrected equations, counted body by body; the library's programs;
a formulation for this one robot. How the paper counted is not stated. The first and the last are counted in the tests
(`tests/papers/operations`), which hold the numbers here to the operation. The library's share what bodies have in common, so a
body's own part is what it adds: platform alone, with the actuators, with the links; numeric parameters, joint coordinates known,
sines and cosines apart.
"""

from dataclasses import dataclass
from typing import Any

from gough import Model
from gough.program import Count
from gough_papers.comparison import (
    Demonstration,
    KnownComparison,
    Tolerance,
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
for itself, all 36 entries, J T before its square, derivatives by the chain rule, zeros and ones free, roots, sines and cosines
apart."""
OTHER_WAYS: dict[str, dict[str, tuple[Triple, Triple]]] = {
    "1/a_iz formed once a link": {
        "mobile platform": ((294, 462, 0), (40, 84, 0)),
        "six actuators": ((2601, 3079, 18), (269, 319, 6)),
        "translating links": ((4704, 8922, 36), (426, 1128, 18)),
        "rotating links": ((10818, 15138, 96), (864, 1578, 42)),
    },
    "third column of J_C not known to be 1": {
        "mobile platform": ((294, 462, 0), (40, 84, 0)),
        "six actuators": ((3060, 3965, 42), (274, 385, 18)),
        "translating links": ((5178, 9588, 60), (426, 1134, 30)),
        "rotating links": ((13254, 18354, 120), (990, 1800, 54)),
    },
    "Tᵀ (Jᵀ J) T for (J T)ᵀ (J T)": {
        "mobile platform": ((294, 462, 0), (40, 84, 0)),
        "six actuators": ((2751, 3271, 30), (287, 337, 12)),
        "translating links": ((5694, 10578, 48), (528, 1326, 24)),
        "rotating links": ((11796, 16590, 108), (990, 1776, 48)),
    },
    "one half of symmetric matrices": {
        "mobile platform": ((218, 359, 0), (29, 67, 0)),
        "six actuators": ((1791, 2224, 30), (194, 232, 12)),
        "translating links": ((3648, 6666, 48), (354, 864, 24)),
        "rotating links": ((8634, 12396, 108), (720, 1344, 48)),
    },
}
"""{one choice changed: the same counts}."""
ALONE: dict[str, tuple[Triple, Triple, Triple]] = {
    "lopes": ((332, 415, 6), (170, 179, 6), (205, 223, 6)),
    "lopes_simplified": ((325, 403, 6), (166, 172, 6), (196, 217, 6)),
}
"""{robot: of Coriolis matrix, inertia matrix and drive forces} by a formulation for this one robot."""
SIMPLIFIED = ("mobile platform", "six actuators")
"""Rows that the simplified model needs; the paper does not count it."""
BODIES = tuple(name for name in PRINTED if name != "total")
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

    def ways_grid(self) -> Grid:
        """Totals of every way to count, and how many of the printed numbers come out."""
        head = ("choice changed", "Coriolis", "of Table 1", "inertia", "of Table 1 ", "numbers the same")
        rows = []
        for name, way in {"none": TRANSCRIBED, **OTHER_WAYS}.items():
            cells = []
            for k in range(2):
                total = sum(sum(way[bodies][k]) for bodies in BODIES)
                cells += [str(total), f"{100 * total / sum(PRINTED['total'][k]):.0f} %"]
            same = [f"{n} of {bodies}" for k, bodies, n in _same_numbers(way)]
            rows.append((name, *cells, f"{len(same)}: divisions {', '.join(same)}"))
        return Grid(head, tuple(rows), head[1:5], "“Its matrices, counted” in other ways, one choice changed at a time")

    def comparisons(self) -> list[KnownComparison]:
        """The 22 printed numbers that are no sums and can fail, beside ours of the same matrices."""
        return [
            not_reproduced(
                f"{matrix}, {operation}",
                [TRANSCRIBED[bodies][k][n] for bodies in _compared_bodies(n)],
                [PRINTED[bodies][k][n] for bodies in _compared_bodies(n)],
                "",
                Tolerance(0.0, "rules of counting are not stated: no allowance has a reason"),
                paper_origin("[Lopes, Table 1]"),
                note=f"of {', '.join(_compared_bodies(n))}; ours is one way to count, the table of ways has others",
                form=".0f",
            )
            for k, matrix in enumerate(("Coriolis matrix", "inertia matrix"))
            for n, operation in enumerate(OPERATIONS)
        ]

    def texts(self) -> list[str]:
        """How it was counted, and what comes of the paper's claim."""
        coriolis, inertia = ([sum(rows["total"][k]) for rows in (TRANSCRIBED, PRINTED)] for k in range(2))
        complete = self.ours["complete model"]
        general = [c.operations / sum(alone) for c, alone in zip(complete, ALONE["lopes"], strict=True)]
        by_rows, counted, library, alone, forces, _ = self.savings().values()
        first = (
            "How the paper counted is not stated, so whether its numbers are right cannot be decided. Its rows show that a link "
            "was counted by itself and taken six times, and the actuators together as in (41): all numbers of links are "
            "multiples of six, three of the actuators' are not. The rest is our choice. “Its matrices, counted”: of its "
            "equations with (46), (63) and (77)–(78) corrected and (59) as printed, with our J_C, which it does not print and "
            "whose third column is 1, parameters as symbols, every body for itself, all 36 entries, J T before its square, "
            "derivatives by the chain rule, zeros and ones free, roots, sines and cosines apart. They were counted in the tests "
            "(`tests/papers/operations/lopes_table.py`), not in this run, and come to "
            f"{coriolis[0]} operations for the Coriolis matrix, {100 * coriolis[0] / coriolis[1]:.0f} % of its {coriolis[1]}, "
            f"and to {inertia[0]} for the inertia matrix, {100 * inertia[0] / inertia[1]:.0f} % of its {inertia[1]}. They add "
            "up to the library's mass and Coriolis matrix to rounding (`tests/papers/test_lopes_operations.py`)."
        )
        ways = (
            "Compared are 22 of the 30 numbers: the totals are sums of the rows, and nothing of the platform is divided. The two "
            "that are the same, 30 and 12 divisions of the actuators, hang on how our J_C is divided, and with 1/a_iz formed "
            "once they are 18 and 6. Other choices come to 63 % to 94 % of its Coriolis and 79 % to 110 % of its inertia "
            "operations, with at most two numbers that are the same, always divisions."
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
            "The simplified model has “a much lower computational burden”, says the paper, which has no count of it; we take the "
            "rows of platform and actuators, all it needs. For its formulation that holds: the burden is "
            f"{by_rows:.1f} times lower by its rows, {counted:.1f} times by its matrices counted by us. In the "
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
        return [first, ways, second, third, fourth]

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
        """Of the platform's divisions, of the links' shares, and of the savings."""
        none = Demonstration(
            "divisions of the mobile platform, both matrices",
            "0 and 0, as printed",
            "none of (4), (9), (18)–(28) divides",
        )
        why = "a quotient of counts; the paper says “a much lower computational burden” and no number"
        said = "a quotient of counts; the paper says of the links “the largest relative computational effort” and no number"
        shares = [
            Demonstration(f"{matrix}: share of the links, counted by us", f"{_links_share(TRANSCRIBED, k):.0f} %", said)
            for k, matrix in enumerate(("Coriolis matrix", "inertia matrix"))
        ]
        return [none, *shares] + [
            Demonstration(f"complete over simplified model: {how}", f"{times:.2f}", why)
            for how, times in self.savings().items()
        ]


def _compared_bodies(n: int) -> tuple[str, ...]:
    """Bodies whose count of an operation is compared: nothing of the platform is divided."""
    return BODIES[1:] if OPERATIONS[n] == "divisions" else BODIES


def _same_numbers(way: dict[str, tuple[Triple, Triple]]) -> list[tuple[int, str, int]]:
    """(matrix, bodies, number) of those compared that are as printed."""
    found = [(k, bodies, n) for n in range(3) for bodies in _compared_bodies(n) for k in range(2)]
    return [(k, b, PRINTED[b][k][n]) for k, b, n in found if way[b][k][n] == PRINTED[b][k][n]]


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
