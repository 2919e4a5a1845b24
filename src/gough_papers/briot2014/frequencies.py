"""Natural frequencies of DualEMPS beside [Briot 2014, Table 3]: drives locked at q11 = q21 = 0, undeformed.

The row "Model" comes from inertias that Table 2 rounds: from the printed ones it does not come out. Three of them are solved
from three of its numbers; the other three, and the digits of Table 2, then test the model. Meshes show what one element a link
leaves.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from gough import Model, natural_frequencies
from gough_papers.comparison import (
    Demonstration,
    KnownComparison,
    Origin,
    Tolerance,
    equals,
    half_digit,
    not_reproduced,
    paper_origin,
)
from gough_papers.reproduction import changed_model
from gough_papers.section import Grid

TABLE_3 = {
    "Model": (14.22, 25.09, 48.22, 92.37, 109.08, 423.39),
    "Adams": (14.41, 24.92, 49.78, 97.91, 110.86, 219.60),
    "measured, ±1": (14.0, 25.0, 48.0, 93.0, 108.0, 163.0),
}
"""[Briot 2014, Table 3], Hz."""
MODEL, ADAMS, MEASURED = (np.array(row) for row in TABLE_3.values())
RESOLUTION = 1.0
"""Hz, of the measured row, as printed."""
NAMES = tuple(f"f{k + 1}" for k in range(6))
MESHES = (1, 2, 4, 8, 16)
"""Elements a link."""
AS_PRINTED = (14.207, 25.042, 48.156, 91.907, 110.326, 436.197)
"""Hz: Tables 1 and 2 as printed, by the paper's own equations."""
TRANSCRIBED = Origin("transcription", "the paper's own equations, misprints corrected: tests/papers/briot2014")
EIGHT_ELEMENTS = (14.18, 24.52, 45.91, 89.80, 105.38, 188.54)
"""Hz: eight elements a link, by Exudyn."""
EXUDYN = Origin(
    "independent", "Exudyn's beam elements, other code and other coordinates: tests/mechanisms/test_exudyn.py"
)
CHOSEN = {"link17.MX": 0.006, "link14.ZZ": 0.003, "link24.MX": 0.011}
"""kg m, kg m², kg m: the inertias that `dualemps_refined` moves, as Table 2 prints them; half a unit of their last digit is
0.0005."""
HALF_DIGITS = {
    f"{link}.{name}": size
    for link, zz in (("link12", 5e-7), ("link14", 5e-4), ("link17", 5e-7), ("link22", 5e-7), ("link24", 5e-7))
    for name, size in (("M", 5e-4), ("MX", 5e-4), ("ZZ", zz))
}
"""Half a unit of the last digit of every inertia of a rigid link in Table 2, SI."""


def six_frequencies(model: Model, q: Any = None, parameters: Any = None, drives: Any = "locked") -> np.ndarray:
    """The first six natural frequencies (6,), Hz, undeformed; default: at home, drives locked."""
    found = natural_frequencies(model, q, drives, about="undeformed", parameters=parameters).frequencies_hz
    return found[found > 1e-3][:6]


def meshed_model(elements: int, change: Callable[[Any], None] = lambda data: None) -> Model:
    """Tables as printed, with that many elements a link; change: edits the document besides."""

    def edit(data: Any) -> None:
        for body in data["bodies"]:
            if "flexible" in body:
                body["flexible"]["beam"]["elements"] = elements
        change(data)

    return changed_model("dualemps", edit)


def sensitivities(model: Model, sizes: Mapping[str, float], at: Mapping[str, float] | None = None) -> np.ndarray:
    """(6, n): Hz that each frequency moves for each of `sizes`, {parameter: change}, by central differences about `at`."""
    start = dict(zip(model.parameter_names, model.parameters, strict=True)) | dict(at or {})
    columns = []
    for name, size in sizes.items():
        ahead, behind = (
            six_frequencies(model, parameters={**(at or {}), name: start[name] + s}) for s in (size, -size)
        )
        columns.append((ahead - behind) / 2)
    return np.stack(columns, axis=1)


@dataclass(frozen=True)
class Solved:
    """Inertias that give three numbers of the row "Model". used, rest: places of frequencies; values {parameter: SI};
    frequencies (6,) Hz; allowed (3,): of those at `rest`, Hz: half digits of Table 3, their own and those of the used ones."""

    used: tuple[int, ...]
    rest: tuple[int, ...]
    values: dict[str, float]
    frequencies: np.ndarray
    allowed: np.ndarray


def solve_inertias(model: Model) -> Solved:
    """Newton's method from the printed values; used are the three frequencies that determine the inertias best."""
    sizes = dict.fromkeys(CHOSEN, 5e-4)
    share = sensitivities(model, sizes) / MODEL[:, None]
    used = max(combinations(range(6), 3), key=lambda rows: abs(np.linalg.det(share[list(rows)])))
    rest = tuple(k for k in range(6) if k not in used)
    values = dict(CHOSEN)
    for _ in range(8):
        slope = sensitivities(model, dict.fromkeys(CHOSEN, 1e-7), values) / 1e-7
        off = MODEL - six_frequencies(model, parameters=values)
        step = np.linalg.solve(slope[list(used)], off[list(used)])
        values = {name: x + d for (name, x), d in zip(values.items(), step, strict=True)}
    carried = np.abs(slope[list(rest)] @ np.linalg.inv(slope[list(used)])).sum(axis=1)
    return Solved(used, rest, values, six_frequencies(model, parameters=values), 0.005 * (1 + carried))


@dataclass(frozen=True)
class Table3:
    """model: tables as printed, one element a link. refined: of `dualemps_refined`. by_mesh: {elements a link: Hz (6,)}."""

    model: Model
    refined: np.ndarray
    by_mesh: dict[int, np.ndarray]

    @property
    def as_printed(self) -> np.ndarray:
        """One element a link."""
        return self.by_mesh[1]

    @property
    def fine(self) -> np.ndarray:
        """The finest mesh."""
        return self.by_mesh[max(self.by_mesh)]

    @property
    def mesh_error(self) -> np.ndarray:
        """Of the finest mesh, relative: cubic elements are of fourth order, so it is a fifteenth of the last difference."""
        return (self.by_mesh[max(self.by_mesh) // 2] - self.fine) / 15 / self.fine

    @cached_property
    def solved(self) -> Solved:
        """Three inertias from three frequencies."""
        return solve_inertias(self.model)

    @cached_property
    def reach(self) -> np.ndarray:
        """(6,) Hz: half digits of all inertias in Table 2, added up."""
        return np.abs(sensitivities(self.model, HALF_DIGITS)).sum(axis=1)

    @property
    def rows(self) -> dict[str, np.ndarray]:
        """Ours, Hz."""
        return {
            "1 element a link, tables as printed": self.as_printed,
            "1 element a link, three inertias refined": self.refined,
            f"{max(self.by_mesh)} elements a link, tables as printed": self.fine,
        }

    def grids(self) -> list[Grid]:
        """Table 3 with ours; differences from each of its rows; what one element depends on."""
        shown = {f"paper, {k}": np.array(v) for k, v in TABLE_3.items()} | self.rows
        title = "natural frequencies (Hz), drives locked at q11 = q21 = 0"
        hertz = Grid(("Hz", *NAMES), _cells(shown, "{:.2f}"), NAMES, title, label="Table 3")
        apart = {
            f"{ours} − {name}": 100 * (f / np.array(row) - 1)
            for ours, f in self.rows.items()
            for name, row in TABLE_3.items()
        }
        per_cent = Grid(("%", *NAMES), _cells(apart, "{:+.2f}"), NAMES, "Each of ours beside each row of the paper (%)")
        half = sensitivities(self.model, dict.fromkeys(CHOSEN, 5e-4)).T
        moved = {f"{name} by half a unit, 0.0005": 100 * d / MODEL for name, d in zip(CHOSEN, half, strict=True)}
        moved["half a unit of every inertia of Table 2, sizes added up"] = 100 * self.reach / MODEL
        moved["tables as printed − row Model, for comparison"] = 100 * (self.as_printed / MODEL - 1)
        title = "What the digits of Table 2 leave open, one element a link (%)"
        return [hertz, per_cent, Grid(("%", *NAMES), _cells(moved, "{:+.2f}"), NAMES, title)]

    def mesh_grid(self) -> Grid:
        """Convergence."""
        rows = {f"{n}, Hz": f for n, f in self.by_mesh.items()}
        shown = _cells(rows, "{:.3f}")
        shown += _cells({f"{n} − {self.finest}, %": 100 * (f / self.fine - 1) for n, f in self.coarser}, "{:+.3f}")
        *_, a, b, c = self.by_mesh.values()
        shown += _cells({"last change but one over the last": (a - b) / (b - c)}, "{:.1f}")
        shown += _cells({f"left in {self.finest} (estimated), %": 100 * self.mesh_error}, "{:+.4f}")
        title = "Convergence of the mesh, tables as printed; cubic elements are of fourth order: a change is 16 times the next"
        return Grid(("elements a link", *NAMES), shown, NAMES, title)

    @property
    def picked_from(self) -> tuple[str, ...]:
        """Inertias of Table 2 that are rounded and have an effect; legs 1 and 2 print the same ones for links 12 and 22."""
        return tuple(name for name in HALF_DIGITS if not name.startswith("link22"))

    @property
    def finest(self) -> int:
        """Elements a link."""
        return max(self.by_mesh)

    @property
    def coarser(self) -> list[tuple[int, np.ndarray]]:
        """Meshes but the finest."""
        return [(n, f) for n, f in self.by_mesh.items() if n != self.finest]

    def comparisons(self) -> list[KnownComparison]:
        """With the row "Model", Table 2 and the paper's own equations."""
        table, solved = paper_origin("[Briot 2014, Table 3], row Model"), self.solved
        off = 100 * (self.as_printed / MODEL - 1)
        found = [
            not_reproduced(
                "f1 to f6 from Tables 1 and 2 as printed, one element a link",
                self.as_printed,
                TABLE_3["Model"],
                "Hz",
                half_digit(0.005),
                table,
                form=".2f",
                note=f"off by {off.min():+.2f} to {off.max():+.2f} %: less than the digits of Table 2 leave open",
            ),
            equals(
                "the same beside the paper's equations",
                self.as_printed,
                AS_PRINTED,
                "Hz",
                half_digit(0.0005),
                TRANSCRIBED,
                form=".3f",
            ),
        ]
        given = ", ".join(NAMES[k] for k in solved.used)
        for name, value in CHOSEN.items():
            what, unit = f"{name} that {given} ask for", "kg m²" if name.endswith("ZZ") else "kg m"
            origin = paper_origin("[Briot 2014, Table 2]")
            found.append(equals(what, solved.values[name], value, unit, half_digit(5e-4), origin, form=".7g"))
        reason = f"half a unit of its last digit, and of {given} as the model carries them over"
        for k, allowed in zip(solved.rest, solved.allowed, strict=True):
            size = Tolerance(float(allowed), reason)
            what = f"{NAMES[k]} predicted with these inertias"
            found.append(equals(what, solved.frequencies[k], MODEL[k], "Hz", size, table, form=".3f"))
        return found

    def demonstrations(self) -> list[Demonstration]:
        """What the gallery robot was made to give."""
        shown = " ".join(f"{f:.2f}" for f in self.refined)
        why = "its three inertias were chosen to give the row; what is left to test are the predictions above"
        return [Demonstration("f1 to f6 of `dualemps_refined`", f"{shown} Hz", why)]

    def mesh_comparisons(self) -> list[KnownComparison]:
        """The finest mesh with another program, with what was measured and with Adams."""
        measured = paper_origin("[Briot 2014, Table 3], measured")
        allowed = Tolerance(RESOLUTION, "the resolution that the paper states")
        note = "the table above has what could be missing"
        mesh = f"{self.finest} elements a link"
        return [
            equals("8 elements a link", self.by_mesh[8], EIGHT_ELEMENTS, "Hz", half_digit(0.005), EXUDYN, form=".2f"),
            equals(f"{mesh}, f1 and f2", self.fine[:2], MEASURED[:2].tolist(), "Hz", allowed, measured, form=".2f"),
            not_reproduced(
                f"{mesh}, f3 to f6",
                self.fine[2:],
                MEASURED[2:].tolist(),
                "Hz",
                allowed,
                measured,
                form=".2f",
                note=note,
            ),
            not_reproduced(
                f"{mesh}, f1 to f6",
                self.fine,
                ADAMS.tolist(),
                "Hz",
                half_digit(0.005),
                paper_origin("[Briot 2014, Table 3], Adams"),
                form=".2f",
                note="Adams joins rigid pieces by springs, eight a link; how it lays them is not stated",
            ),
        ]


def _cells(rows: Mapping[str, np.ndarray], form: str) -> tuple[tuple[str, ...], ...]:
    return tuple((name, *(form.format(x) for x in values)) for name, values in rows.items())
