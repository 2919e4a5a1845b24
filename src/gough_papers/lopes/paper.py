"""[Lopes] part by part: forces of the complete and the simplified model, when the difference matters, operations, misprints."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gough import Model, Run
from gough_papers.along import COST_HEAD, TIMED, inverse_cost, known_forces, relative_error, run_along
from gough_papers.canvas import COLORS, add_style_legend, canvas, label_axes, plot_curves, put_legend_below
from gough_papers.comparison import (
    INDEPENDENT,
    TRANSCRIPTION,
    KnownComparison,
    Origin,
    equals,
    exact,
    half_digit,
    rounding,
)
from gough_papers.lopes.operations import count_table_1
from gough_papers.reproduction import Paper, Parts, Tour, changed_model
from gough_papers.section import Grid, ReportSection
from gough_papers.tables import tell_misprints

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
            ("Misprints, what is unsaid or simplified, and what each costs", self.show_misprints),
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
            known = known_forces(PATHS[robot], run.tau)
            section.comparisons += [c for c in known if not c.quantity.endswith(AT_REST)]
            section.comparisons.append(weight_comparison(robot, run.tau[0]))
            rows.append((robot, *inverse_cost(run).cells, f"{abs(run.tau).max():.3f}"))
        head = ("model", *COST_HEAD, "max |f| N")
        section.grids.append(Grid(head, tuple(rows), head[1:], f"Inverse dynamics, parameters are inputs; {TIMED}"))
        section.said.append(
            "The text we work from lacks the two figures and gives no force. So forces are compared with an independent model, "
            "not with the paper. That model reads the same robot file: it tests the equations, not the data or the layout. "
            "Duration and spline constants are not in the text; ours are below, with the layout of the joints. The forces at "
            "rest at P1 and P2 do not depend on the duration."
        )
        complete, simplified = self.runs.values()
        section.comparisons.append(point_mass_comparison(simplified))
        ours = "T = 2 s each way is ours"
        self.shop.draw_figure(section, 4, f"Lengths of the actuators; {ours}.", draw_actuators, complete)
        caption = f"Forces by the complete and the simplified model, and their difference; {ours}."
        self.shop.draw_figure(section, 5, caption, draw_forces, complete, simplified)
        self.shop.move(section, complete, "P1 → P2 → P1, complete model.")

    def compare_operations(self, section: ReportSection) -> None:
        """The table, body by body."""
        self.shop.tell("lopes: counting operations, body by body …")
        found = count_table_1(*(self.shop.model(robot) for robot in PATHS))
        section.said += found.texts()
        section.grids.append(found.grid())
        section.comparisons += [*found.comparisons(), *matrix_comparisons(self.runs["lopes"])]
        section.demonstrations += found.demonstrations()
        section.data["operations"] = {
            name: {"coriolis": c.operations, "inertia": m.operations, "forces": f.operations}
            for name, (c, m, f) in found.ours.items()
        }
        section.data["complete_over_simplified"] = found.savings()

    def compare_speeds(self, section: ReportSection) -> None:
        """Faster and faster."""
        self.shop.tell("lopes: complete and simplified model at nine speeds …")
        found = sweep(*(run.model for run in self.runs.values()))
        section.grids.append(found.grid())
        section.comparisons += found.comparisons()
        two, five = (found.good_until(share) for share in (0.02, 0.05))
        section.said.append(
            "The forces are “similar for both the complete and the simplified dynamic models”, says the paper; its text gives "
            "neither a difference nor a duration. At rest at P1 they differ by 0.01 N, because m_L1 + m_L2 is 1 g less than "
            f"m_L. Along our spline the difference stays within 2 % of the largest force down to about {two:.1f} s one way, "
            f"within 5 % down to about {five:.1f} s; faster motions need the links' own inertia. These durations are those of "
            "our spline between the paper's points."
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


# ---- what is known of forces and matrices without an independent run

AT_REST = "f at P1"
"""Known from an independent model too; the report has the weight instead, which needs none."""
MASSES = {"lopes": 1.430 + 6 * (0.123 + 0.389), "lopes_simplified": 1.430 + 6 * (0.123 + 0.194 + 0.194)}
"""kg: of all that moves [Lopes, Table 2]."""
MATRICES_AT = (
    0.6,
    (2.6199333, 2.6176250, 4.5020000, 1.2695690, 1.0614191, 1.0668050),
    (0.0031942, 0.0033949, 0.0811907, 0.0347439, 0.0210374, 0.0134125),
)
"""Time (s), diagonal of I_E (kg, kg m²) and V_E ẋ (N, N m) then, by the transcription."""
CORRECTED = Origin("transcription", "the printed equations with all corrections")


def weight_comparison(robot: str, force: np.ndarray) -> KnownComparison:
    """Forces (6,) at rest at P1, where all six are alike and vertical."""
    why = exact("six equal vertical forces carry the weight of all that moves")
    known = (9.81 * MASSES[robot] / 6,) * 6
    return equals(f"{robot}: f at P1, a sixth of the weight", force, known, "N", rounding(1e-9), why, form=".6f")


def point_mass_comparison(simplified: Run) -> KnownComparison:
    """Links as massless rods with a mass at each end, bodies of their own [Lopes, eqs. 80–85], beside their masses given to
    platform and actuators [Lopes, eqs. 86–91]."""
    L, m_L1, m_L2 = 1.837, 0.194, 0.194  # m, kg [Lopes, Table 2]
    b = L * m_L2 / (m_L1 + m_L2)
    a = L - b

    def put_masses_at_ends(data: Any) -> None:
        body = data["templates"]["pus"]["chain"][1]["body"]
        across = a**2 * m_L2 + b**2 * m_L1
        body["mass"], body["center_of_mass"] = m_L1 + m_L2, [0, 0, a]
        body["inertia"] = {"about": "center_of_mass", "xx": across, "yy": across, "zz": 0}

    rods = run_along(changed_model("lopes", put_masses_at_ends), PATHS["lopes"])
    off = float(np.abs(rods.tau - simplified.tau).max())
    why = exact("[Lopes, section 3.4]: point masses of the links are “part of the moving platform and actuators”")
    what = "forces, links of two point masses minus (86)–(91)"
    return equals(what, off, 0.0, "N", rounding(1e-9), why, form=".1e")


def matrix_comparisons(run: Run) -> list[KnownComparison]:
    """Mass and Coriolis matrix in the paper's coordinates beside those of its own matrices."""
    t, diagonal, velocity = MATRICES_AT
    k = int(np.argmin(np.abs(run.time - t)))
    terms = run.model.coordinate_terms(run.q[k], run.v[k], "rpy_zyx")
    digits = half_digit(5e-8)
    at = f"at {run.time[k]:g} s"
    return [
        equals(f"diagonal of I_E {at}", np.diag(terms.M), diagonal, "kg, kg m²", digits, CORRECTED, form=".7f"),
        equals(f"V_E ẋ {at}", terms.C @ terms.xdot, velocity, "N, N m", digits, CORRECTED, form=".7f"),
    ]


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
COMPLETE_MINUS_SIMPLIFIED = {2.0: (0.17693, 0.000005), 0.5: (2.84553, 0.000005)}
SHARES = {2.0: (0.015675, 0.0000005), 0.5: (0.096777, 0.0000005)}
"""{duration (s): (largest difference (N), or that over the largest force; half a unit of the last digit)}, from an independent
model."""


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
        """At the durations where an independent model was run; the share at 2 s follows from the difference and the range."""
        out = []
        for T, (known, tolerance) in COMPLETE_MINUS_SIMPLIFIED.items():
            k, what = DURATIONS.index(T), f"complete − simplified, {T:g} s"
            out.append(equals(what, self.difference[k], known, "N", half_digit(tolerance), INDEPENDENT, form=".5f"))
            if T == ONE_WAY:
                continue
            share, digits = (100 * x for x in SHARES[T])
            what = f"the same over max |f|, {T:g} s"
            out.append(equals(what, 100 * self.share[k], share, "%", half_digit(digits), INDEPENDENT, form=".4f"))
        return out

    def good_until(self, share: float) -> float:
        """The shortest duration (s, interpolated) whose difference is at most that share of the largest force."""
        assert (np.diff(self.share) > 0).all(), "the share grows with the speed"
        return float(np.interp(share, self.share, DURATIONS))

    def draw(self) -> Any:
        """Difference over the largest force against the duration."""
        figure = canvas(7.6, 3.9)
        ax = figure.subplots()
        ax.loglog(DURATIONS, 100 * self.share, "o-", color=COLORS[0])
        for limit in (2, 5):
            ax.axhline(limit, color="0.5", linewidth=0.8, linestyle=":")
        label_axes(ax, "Complete minus simplified model", "largest difference / max |f| (%)", "duration one way T (s)")
        ax.set_xticks(DURATIONS, [f"{T:g}" for T in DURATIONS], minor=False)
        ax.set_xticks([], minor=True)
        ticks = [0.2, 0.5, 1, 2, 5, 10]
        ax.set_yticks(ticks, [f"{y:g}" for y in ticks])
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
            out.append(equals(what, 100 * cost, 100 * known, "%", half_digit(100 * digits), TRANSCRIPTION, form=".4g"))
    return out
