"""[Lopes] part by part: forces of the complete and the simplified model, when the difference matters, operations, misprints.

[Lopes, Table 1]: operations of the inertia and the Coriolis matrix, body by body, and the library's programs beside them. Ours
share what bodies have in common, so a body's own part is what it adds: platform alone, with the actuators, with the links. How
the paper counted is not stated; ours: numeric parameters, joint coordinates known, sines and cosines apart.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gough import Model, Run
from gough.program import Count
from gough_papers.along import COST_HEAD, inverse_cost, known_forces, relative_error, run_along
from gough_papers.canvas import COLORS, add_style_legend, canvas, label_axes, plot_curves, put_legend_below
from gough_papers.comparison import INDEPENDENT, TRANSCRIPTION, KnownComparison, at_most, equals
from gough_papers.counting import count_operations
from gough_papers.reproduction import Paper, Parts, Tour, changed_model
from gough_papers.section import Grid, ReportSection
from gough_papers.tables import tell_misprints

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


PATHS = {"lopes": "lopes_p1p2p1", "lopes_simplified": "lopes_simplified_p1p2p1"}
"""{robot: its path}."""
ONE_WAY = 2.0
"""s: of the motion as it is named."""


class Lopes(Tour):
    """The parts in their order."""

    def parts(self) -> Parts:
        """What is reproduced, section by section."""
        return [
            ("The 6-PUS robot along P1 → P2 → P1 (Figs. 4 and 5)", self.compare_forces),
            ("Operations (Table 1)", self.compare_operations),
            ("When the simplified model is good enough", self.compare_speeds),
            ("Misprints, and what each costs", self.show_misprints),
        ]

    @cached_property
    def runs(self) -> dict[str, Run]:
        """Complete and simplified."""
        return {robot: run_along(self.shop.model(robot), path) for robot, path in PATHS.items()}

    def compare_forces(self, section: ReportSection) -> None:
        """Both models along the motion."""
        self.shop.tell("lopes: both models along P1 → P2 → P1 …")
        rows = []
        for robot, run in self.runs.items():
            section.comparisons += known_forces(PATHS[robot], run.tau)
            rows.append((robot, *inverse_cost(run).cells, f"{abs(run.tau).max():.3f}"))
        head = ("model", *COST_HEAD, "max |f| N")
        section.grids.append(Grid(head, tuple(rows), head[1:], "Inverse dynamics, parameters are inputs"))
        section.said.append(
            "Duration, spline constants and the layout of the joints are not printed; ours are below. The forces "
            "at rest at P1 and P2 do not depend on the duration."
        )
        complete, simplified = self.runs.values()
        ours = "T = 2 s each way is ours"
        self.shop.draw_figure(section, 4, f"Lengths of the actuators; {ours}.", draw_actuators, complete)
        caption = f"Forces by the complete and the simplified model, and their difference; {ours}."
        self.shop.draw_figure(section, 5, caption, draw_forces, complete, simplified)
        self.shop.move(section, complete, "P1 → P2 → P1, complete model.")

    def compare_operations(self, section: ReportSection) -> None:
        """The table, body by body."""
        self.shop.tell("lopes: counting operations, body by body …")
        found = count_table_1(self.shop.model("lopes"))
        section.said.append(
            "The paper forms each body's matrices and adds them; how it counted is not stated. Ours: one program "
            "with shared terms, numeric parameters, joint coordinates known, sines and cosines apart. A formulation "
            "made by hand for this one robot (links as thin rods) needs 192/235/6 for the inertia and 379/514/6 for the "
            "Coriolis matrix."
        )
        section.grids.append(found.grid())
        section.comparisons += found.comparisons()
        section.data["operations"] = {
            name: {"coriolis": c.operations, "inertia": m.operations} for name, (c, m) in found.ours.items()
        }

    def compare_speeds(self, section: ReportSection) -> None:
        """Faster and faster."""
        self.shop.tell("lopes: complete and simplified model at nine speeds …")
        found = sweep(*(run.model for run in self.runs.values()))
        section.grids.append(found.grid())
        section.comparisons += found.comparisons()
        section.said.append(
            "“Similar for both models”, says the paper. At rest they differ by 0.01 N, because m_L1 + m_L2 is 1 g less than "
            f"m_L. The difference stays within 2 % of the largest force down to about {found.good_until(0.02):.1f} s one "
            f"way, within 5 % down to about {found.good_until(0.05):.1f} s; faster motions need the links' own inertia."
        )
        section.data["sweep"] = {"difference_N": found.difference, "share": found.share}
        self.shop.draw_picture(section, "sweep", "How the difference of the models grows with the speed.", found.draw)

    def show_misprints(self, section: ReportSection) -> None:
        """Those that the library's matrices show are computed, the others quoted."""
        self.shop.tell("lopes: misprints …")
        found = misprint_costs(self.shop.model("lopes"))
        now = {name: " and ".join(f"{100 * x:.3g} %" for x in value) for name, value in found.items()}
        tell_misprints(section, PAPER, now)
        section.comparisons += cost_comparisons(found)
        section.data["misprints"] = found


PAPER = Paper.read("lopes", Lopes)


# ---- figures

ACTUATORS = tuple(f"actuator {k + 1}" for k in range(6))


def draw_actuators(run: Run) -> Any:
    """[Lopes, Fig. 4]: lengths."""
    figure = canvas(9.5, 4.2)
    ax = figure.subplots()
    plot_curves(ax, run.time, run.model.drives(run.q), ACTUATORS)
    label_axes(ax, "Actuators along P1 → P2 → P1", "length l (m)")
    put_legend_below(figure, ax)
    return figure


def draw_forces(complete: Run, simplified: Run) -> Any:
    """[Lopes, Fig. 5]: both models, and their difference, which the paper does not draw."""
    figure = canvas(9.5, 6.4)
    axes = figure.subplots(2, 1, height_ratios=[1.5, 1], sharex=True)
    t = complete.time
    plot_curves(axes[0], t, complete.tau, ACTUATORS)
    for k in range(6):
        axes[0].plot(t, simplified.tau[:, k], "--", color=COLORS[k], linewidth=1.0)
    label_axes(axes[0], "Forces of the actuators", "force (N)", "")
    add_style_legend(axes[0], ("complete", "simplified"), ("-", "--"), loc="upper right", ncols=2)
    low, high = axes[0].get_ylim()
    axes[0].set_ylim(low, high + 0.13 * (high - low))
    plot_curves(axes[1], t, complete.tau - simplified.tau, ACTUATORS)
    label_axes(axes[1], "Complete minus simplified", "difference (N)")
    put_legend_below(figure, axes[1])
    return figure


# ---- complete minus simplified forces as the motion gets faster

DURATIONS = (8.0, 4.0, 2.0, 1.5, 1.0, 0.75, 0.5, 0.4, 0.3)
"""s, one way."""
COMPLETE_MINUS_SIMPLIFIED = {2.0: (0.177, 0.0005), 0.5: (2.85, 0.005)}
SHARES = {2.0: (0.016, 0.0005), 0.5: (0.097, 0.0005)}
"""{duration (s): (largest difference (N), or that over the largest force; tolerance)}, from an independent model."""


@dataclass(frozen=True)
class Sweep:
    """Of each duration: largest force of the complete model, largest difference (N), largest acceleration (m/s²)."""

    largest: np.ndarray
    difference: np.ndarray
    acceleration: np.ndarray

    @property
    def share(self) -> np.ndarray:
        """The difference over the largest force."""
        return self.difference / self.largest

    def grid(self) -> Grid:
        """A row a duration."""
        head = ("one way, s", "acceleration m/s²", "max |f| N", "difference N", "of max |f|")
        columns = (DURATIONS, self.acceleration, self.largest, self.difference, self.share)
        rows = [
            (f"{T:g}", f"{a:.2f}", f"{f:.2f}", f"{d:.3f}", f"{100 * s:.1f} %")
            for T, a, f, d, s in zip(*columns, strict=True)
        ]
        return Grid(head, tuple(rows), head, "Complete minus simplified model, P1 → P2 → P1")

    def comparisons(self) -> list[KnownComparison]:
        """At the durations where an independent model was run."""
        out = []
        for T, (known, tolerance) in COMPLETE_MINUS_SIMPLIFIED.items():
            k, what = DURATIONS.index(T), f"complete − simplified, {T:g} s"
            out.append(equals(what, self.difference[k], known, "N", tolerance, INDEPENDENT, form=".3f"))
            share, digits = (100 * x for x in SHARES[T])
            what = f"the same over max |f|, {T:g} s"
            out.append(equals(what, 100 * self.share[k], share, "%", digits, INDEPENDENT, form=".2f"))
        return out

    def good_until(self, share: float) -> float:
        """The shortest duration (s, interpolated) whose difference is at most that share of the largest force."""
        return float(np.interp(share, self.share, DURATIONS))

    def draw(self) -> Any:
        """Difference over the largest force against the duration."""
        figure = canvas(7.6, 3.9)
        ax = figure.subplots()
        ax.loglog(DURATIONS, 100 * self.share, "o-", color=COLORS[0])
        for limit in (1, 5):
            ax.axhline(limit, color="0.5", linewidth=0.8, linestyle=":")
        label_axes(ax, "Complete minus simplified model", "largest difference / max |f| (%)", "duration one way T (s)")
        ax.set_xticks(DURATIONS, [f"{T:g}" for T in DURATIONS], minor=False)
        ax.set_xticks([], minor=True)
        ax.set_yticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"])
        return figure


def sweep(complete: Model, simplified: Model) -> Sweep:
    """Along P1 → P2 → P1."""
    rows = []
    for T in DURATIONS:
        runs = [run_along(m, PATHS["lopes"], slower=T / ONE_WAY) for m in (complete, simplified)]
        f, g = (run.tau for run in runs)
        fastest = np.linalg.norm(runs[0].acceleration[:, :3], axis=1).max()
        rows.append((np.abs(f).max(), np.abs(f - g).max(), fastest))
    return Sweep(*np.array(rows).T)


# ---- what misprints cost, from the library's matrices in the paper's own coordinates x y z ψ θ φ

SAMPLES = 201
COST_DURATIONS = (2.0, 0.5)
MEASURED = {"transposed": (5.613, 5.718), "no derivative": (0.0166, 0.256)}
"""{name: relative error for both durations}, by the transcription of the printed equations at the same samples."""
DIGITS = {"transposed": (0.0005, 0.0005), "no derivative": (0.00005, 0.0005)}
NAMED = {"transposed": "(14): J_Eᵀ for J_E⁻ᵀ", "no derivative": "(77)–(78): ∂I/∂ẋ"}


def misprint_costs(model: Model) -> dict[str, tuple[float, float]]:
    """{name: relative error for both durations}."""
    each = [_costs(run_along(model, PATHS["lopes"], T / ONE_WAY, SAMPLES)) for T in COST_DURATIONS]
    return {name: (each[0][name], each[1][name]) for name in MEASURED}


def _costs(run: Run) -> dict[str, float]:
    """J_E = J_C T [Lopes, eqs. 5, 33] and f_E [Lopes, eq. 12] from the library's matrices, and forces with each slip."""
    right = run.tau
    terms = run.model.coordinate_terms(run.q, run.v, "rpy_zyx")
    S = run.model.drive_map(run.q)  # S τ is the wrench on the platform; v = T ẋ
    J_E = np.swapaxes(S, -1, -2) @ terms.T
    f_E = np.einsum("nji,nj->ni", terms.T, np.einsum("nij,nj->ni", S, right))
    C, xdot = terms.C, terms.xdot
    # with ∂I/∂ẋ = 0 only half of İ = C + Cᵀ is left of (76)
    lost = np.einsum("nij,nj->ni", 0.5 * (C + np.swapaxes(C, -1, -2)) - C, xdot)
    without = np.linalg.solve(np.swapaxes(J_E, -1, -2), (f_E + lost)[..., None])[..., 0]
    transposed = np.einsum("nji,nj->ni", J_E, f_E)
    return {"transposed": relative_error(transposed, right), "no derivative": relative_error(without, right)}


def cost_comparisons(found: dict[str, tuple[float, float]]) -> list[KnownComparison]:
    """With the transcription's figures, in per cent."""
    out = []
    for name, value in found.items():
        for T, cost, known, digits in zip(COST_DURATIONS, value, MEASURED[name], DIGITS[name], strict=True):
            what = f"cost of {NAMED[name]}, {T:g} s"
            out.append(equals(what, 100 * cost, 100 * known, "%", 100 * digits, TRANSCRIPTION, form=".4g"))
    return out
