"""Natural frequencies of DualEMPS beside [Briot 2014, Table 3]: drives locked at q11 = q21 = 0, undeformed.

The row "Model" comes from inertias that Table 2 rounds: it is compared to its own digits and to what those of Table 2 leave
open. Three inertias that give the row are shown; they were picked with the row known, so they test nothing. Meshes show what one
element a link leaves. Beams are ρAL of their section, with E = 74 GPa.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
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
"""Hz: Tables 1 and 2, beams from ρAL, 74 GPa, by the paper's own equations."""
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
YOUNG = 74.0
"""GPa, of the gallery robots; every frequency goes with its root."""
COORDINATES = 9
"""Elastic coordinates, as printed."""
HIGHEST = 200.0
"""Hz: up to here the paper lists what was measured."""


def six_frequencies(model: Model, q: Any = None, parameters: Any = None, drives: Any = "locked") -> np.ndarray:
    """The first six natural frequencies (6,), Hz, undeformed; default: at home, drives locked."""
    found = natural_frequencies(model, q, drives, about="undeformed", parameters=parameters).frequencies_hz
    return found[found > 1e-3][:6]


def low_frequencies(model: Model) -> np.ndarray:
    """All natural frequencies (n,) up to `HIGHEST`, Hz, at home, undeformed, drives locked."""
    found = natural_frequencies(model, about="undeformed").frequencies_hz
    return found[(found > 1e-3) & (found <= HIGHEST)]


def meshed_model(elements: int, change: Callable[[Any], None] = lambda data: None) -> Model:
    """`dualemps`, with that many elements a link; change: edits the document besides."""

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
    frequencies (6,) Hz."""

    used: tuple[int, ...]
    rest: tuple[int, ...]
    values: dict[str, float]
    frequencies: np.ndarray


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
    return Solved(used, rest, values, six_frequencies(model, parameters=values))


@dataclass(frozen=True)
class Table3:
    """model: `dualemps`, one element a link. refined: of `dualemps_refined`. by_mesh: {elements a link: Hz (6,)}. low: all up
    to `HIGHEST`, of the finest mesh."""

    model: Model
    refined: np.ndarray
    by_mesh: dict[int, np.ndarray]
    low: np.ndarray = field(default_factory=lambda: np.zeros(0))

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
        """(6,) Hz: half digits of all inertias of rigid links in Table 2, added up."""
        return np.abs(sensitivities(self.model, HALF_DIGITS)).sum(axis=1)

    @property
    def tolerances(self) -> np.ndarray:
        """(6,) Hz, beside the row "Model": half a unit of its last digit, and `reach`."""
        return 0.005 + self.reach

    @property
    def moduli(self) -> tuple[float, float]:
        """(least, most) GPa with which all six are inside what is allowed beside the row "Model"."""
        low, high = ((MODEL + side * self.tolerances) / self.as_printed for side in (-1, 1))
        return YOUNG * float(low.max()) ** 2, YOUNG * float(high.min()) ** 2

    @property
    def rows(self) -> dict[str, np.ndarray]:
        """Ours, Hz."""
        return {
            "1 element a link": self.as_printed,
            "1 element a link, three inertias refined": self.refined,
            f"{max(self.by_mesh)} elements a link": self.fine,
        }

    def grids(self) -> list[Grid]:
        """Table 3 with ours; differences from each of its rows; what one element depends on."""
        shown = {f"paper, {k}": np.array(v) for k, v in TABLE_3.items()} | self.rows
        title = "natural frequencies (Hz) at q11 = q21 = 0; ours: drives locked, Tables 1 and 2, beams from ρAL, 74 GPa"
        hertz = Grid(("Hz", *NAMES), _cells(shown, "{:.2f}"), NAMES, title, label="Table 3")
        apart = {
            f"{ours} − {name}": 100 * (f / np.array(row) - 1)
            for ours, f in self.rows.items()
            for name, row in TABLE_3.items()
        }
        per_cent = Grid(("%", *NAMES), _cells(apart, "{:+.2f}"), NAMES, "Each of ours beside each row of the paper (%)")
        half = sensitivities(self.model, dict.fromkeys(CHOSEN, 5e-4)).T
        moved = {f"{name} by half a unit, 0.0005": 100 * d / MODEL for name, d in zip(CHOSEN, half, strict=True)}
        moved["half a unit of every inertia of a rigid link, sizes added up"] = 100 * self.reach / MODEL
        moved["1 element a link − row Model, for comparison"] = 100 * (self.as_printed / MODEL - 1)
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
        title = "Convergence of the mesh; cubic elements are of fourth order: a change is 16 times the next"
        return Grid(("elements a link", *NAMES), shown, NAMES, title)

    @property
    def picked_from(self) -> tuple[str, ...]:
        """Rounded inertias of Table 2 that have an effect with the slides locked: not m and mx of links 12 and 22, which turn
        about their origins; both have the same zz."""
        return tuple(name for name in HALF_DIGITS if not name.startswith(("link22", "link12.M")))

    @property
    def finest(self) -> int:
        """Elements a link."""
        return max(self.by_mesh)

    @property
    def coarser(self) -> list[tuple[int, np.ndarray]]:
        """Meshes but the finest."""
        return [(n, f) for n, f in self.by_mesh.items() if n != self.finest]

    def sentences_grid(self) -> Grid:
        """What the paper says in words, and what comes of it."""
        per_cent, off, fine = 100 * (ADAMS / MODEL - 1), np.abs(MODEL - MEASURED), np.abs(self.fine - MEASURED)
        inside = ", ".join(NAMES[k] for k in range(5) if off[k] <= RESOLUTION)
        kept = ", ".join(NAMES[k] for k in range(5) if fine[k] <= RESOLUTION) or "none"
        five = f"its row is {_list(off[:5], '.2f')} Hz from them: inside ± 1 Hz are {inside}"
        rows = (
            (
                "“the Adams model prediction gives almost the same result as our model for the five first frequencies”",
                f"Adams − Model, both printed: {_list(per_cent[:5], '+.1f')} %",
            ),
            ("“the five first frequencies predicted with our model are very close to the measured ones”", five),
            (
                "“a good prediction for all frequencies in the interval [14, 110] Hz”",
                f"with {self.finest} elements a link inside ± 1 Hz: {kept}",
            ),
            (
                "six “measured resonance frequencies between 0 and 200 Hz”",
                f"{self.finest} elements a link have {len(self.low)} there: {_list(self.low, '.1f')} Hz",
            ),
            (
                "f6 “could be improved by introducing a higher number of elements”",
                f"from {self.as_printed[5]:.0f} to {self.fine[5]:.1f} Hz; measured {MEASURED[5]:.0f} Hz",
            ),
        )
        return Grid(("the paper says", "here, not counted"), rows, (), "What the paper says of Table 3 in words")

    def comparisons(self) -> list[KnownComparison]:
        """With the row "Model", the number of coordinates and the paper's own equations."""
        table = paper_origin("[Briot 2014, Table 3], row Model")
        reason = "half a unit of its last digit, and of every inertia of a rigid link in Table 2, sizes added up"
        note = "inside what the digits of Table 2 leave open; not to its own digits"
        found = []
        for k, allowed in enumerate(self.tolerances):
            size, ours = Tolerance(float(allowed), reason), self.as_printed[k]
            more = note if abs(ours - MODEL[k]) > 0.005 else ""
            what = f"{NAMES[k]}, one element a link"
            found.append(equals(what, ours, MODEL[k], "Hz", size, table, form=".2f", note=more))
        elastic = self.model.layout.nv - self.model.mobility
        where = paper_origin("[Briot 2014, section 5]: 9 elastic coordinates in total")
        found.append(equals("elastic coordinates", elastic, COORDINATES, "", Tolerance(0.0, "a count"), where))
        what, size = "f1 to f6 beside the paper's equations", half_digit(0.0005)
        found.append(equals(what, self.as_printed, AS_PRINTED, "Hz", size, TRANSCRIBED, form=".3f"))
        return found

    def demonstrations(self) -> list[Demonstration]:
        """Three inertias that give the row, and what the gallery robot was made to give."""
        solved, why = self.solved, "the three were picked with the whole row known"
        given, rest = (", ".join(NAMES[k] for k in places) for places in (solved.used, solved.rest))
        values = ", ".join(f"{name} = {x:.7g} for {CHOSEN[name]:g}" for name, x in solved.values.items())
        others = ", ".join(f"{solved.frequencies[k]:.3f} for {MODEL[k]:.2f}" for k in solved.rest)
        shown = " ".join(f"{f:.2f}" for f in self.refined)
        return [
            Demonstration(f"three inertias that {given} of the row ask for, beside Table 2", values, why),
            Demonstration(f"{rest} with them, beside the row", f"{others} Hz", why),
            Demonstration(
                "f1 to f6 of `dualemps_refined`", f"{shown} Hz", "its three inertias were chosen to give the row"
            ),
        ]

    def mesh_comparisons(self) -> list[KnownComparison]:
        """With another program, and the finest mesh with what was measured."""
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
        ]


def _cells(rows: Mapping[str, np.ndarray], form: str) -> tuple[tuple[str, ...], ...]:
    return tuple((name, *(form.format(x) for x in values)) for name, values in rows.items())


def _list(values: np.ndarray, form: str) -> str:
    return ", ".join(f"{x:{form}}" for x in values)
