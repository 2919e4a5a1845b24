"""[Pedrammehr 2012] part by part: forces on three paths, what the true universal joint adds, axes not stated, misprints."""

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from gough import Run
from gough_papers.along import COST_HEAD, PATHS, inverse_cost, known_forces, run_along
from gough_papers.canvas import COLORS, canvas, label_axes
from gough_papers.comparison import INDEPENDENT, TRANSCRIPTION, equals
from gough_papers.pedrammehr2012 import axes
from gough_papers.pedrammehr2012.pods import PodForces, Pods, Switches, dot, pod_forces, pods_of
from gough_papers.reproduction import Paper, Parts, Tour
from gough_papers.section import Grid, ReportSection
from gough_papers.tables import tell_misprints

NUMBERS = (1, 2, 3)
OLDER = Switches(spin=False, moment=False)
"""No spin, and the joint's moment along the pod, where it does nothing."""
COSTS: dict[str, tuple[Switches, float, float]] = {
    "parallel axes, pods": (Switches(eq32=False), 231.0, 0.5),
    "parallel axis, platform": (Switches(eq50=False), 15.0, 0.5),
    "sign of the spin": (Switches(eq25=False), 0.35, 0.005),
    "no spin": (Switches(spin=False), 10.5, 0.05),
}
"""{name: (what is computed, known largest change on path 3 (N), tolerance)}."""
AT_REST = 67.0
"""N: what the moment along u × v makes on path 1 with the platform held still at every sample."""


class Pedrammehr2012(Tour):
    """The parts in their order."""

    def parts(self) -> Parts:
        """What is reproduced, section by section."""
        return [
            ("Forces on the three paths", self.compare_forces),
            ("Angular velocities and accelerations of the pods (Figs. 5–8)", self.compare_turning),
            ("Forces with and without the improvements (Figs. 9 and 10)", self.compare_improved_model),
            ("The axes that are not stated", self.vary_unstated_axes),
            ("Misprints, and what each costs", self.show_misprints),
        ]

    @cached_property
    def runs(self) -> dict[int, Run]:
        """By number of the path."""
        model = self.shop.model("pedrammehr2012")
        return {k: run_along(model, f"pedrammehr2012_path{k}") for k in NUMBERS}

    @cached_property
    def pods(self) -> Pods:
        """The robot's data for the paper's own equations."""
        return pods_of(self.shop.model("pedrammehr2012"))

    def by_paper(self, path: int, do: Switches | None = None) -> PodForces:
        """The paper's equations, corrected but for what `do` switches."""
        run = self.runs[path]
        return pod_forces(self.pods, run.q[:, :7], run.v, run.acceleration, do or Switches())

    def compare_forces(self, section: ReportSection) -> None:
        """Every known number, and the corrected equations of the paper beside the library."""
        self.shop.tell("pedrammehr2012: forces on three paths …")
        rows, worst = [], 0.0
        cells = inverse_cost(self.runs[3]).cells
        for k, run in self.runs.items():
            path = f"pedrammehr2012_path{k}"
            section.comparisons += known_forces(path, run.tau)
            off = np.abs(self.by_paper(k).f - run.tau).max() / np.abs(run.tau).max()
            worst = max(worst, float(off))
            rms = np.sqrt(np.mean(run.tau**2))
            rows.append((PATHS[path].title, str(len(run)), f"{abs(run.tau).max():.1f}", f"{rms:.1f}"))
        head = ("path", "samples", "max |f| N", "rms N")
        section.grids = [
            Grid(head, tuple(rows), head[1:], "Drive forces, positive lengthens the pod"),
            Grid(("function", *COST_HEAD), (("inverse dynamics", *cells),), COST_HEAD, "Cost, parameters are inputs"),
        ]
        what = "the paper's equations, corrected, minus the library"
        origin = "another formulation: the direct route of [Pedrammehr 2012, sections 3–8], corrected"
        section.comparisons.append(equals(what, worst, 0.0, "of max |f|", 1e-12, origin, form=".1e"))
        section.said.append(
            "The printed inertia tensors of both pod parts and of the platform belong to no real body; they enter linearly, so "
            "the forces are well defined. The paper needs 1.58 s for its paths in MATLAB, on another machine."
        )
        self.shop.move(section, self.runs[3], "Path 3, ten times slower.", speed=0.1)

    def compare_turning(self, section: ReportSection) -> None:
        """Figures 5 to 8; the library's twists beside the paper's formula [Pedrammehr 2012, eqs. 15–17]."""
        self.shop.tell("pedrammehr2012: angular velocities of the pods …")
        worst = 0.0
        for k, run in self.runs.items():
            twists = [run.model.frame_twist(run.q, run.v, f"leg{i}.lower")[:, 3:] for i in range(6)]
            worst = max(worst, float(np.abs(np.stack(twists, axis=1) - self.by_paper(k).w).max()))
        what, origin = "angular velocities: eqs. 15–17 minus the library", "[Pedrammehr 2012, eqs. 15–17]"
        section.comparisons.append(equals(what, worst, 0.0, "rad/s", 1e-12, origin, form=".1e"))
        section.said.append(
            "With the fixed axes along base x, ours, path 1 has no spin in any pod: the curves with and without it coincide. "
            "The paper's text to Fig. 5 reports spin in pods 3, 4 and 5 there, so its axes are others; the table of the next "
            "part but one shows that neither base y nor tangential axes are those either, though base y fits the text to "
            "Fig. 6, where pod 3 alone has none. Magnitudes are drawn; “difference” is the part "
            "along the pod, which older models leave out."
        )
        for path, first in ((1, 5), (2, 7)):
            found, t = self.by_paper(path), self.runs[path].time
            drawn = (("angular velocities", found.w, "rad/s"), ("angular accelerations", found.alpha, "rad/s²"))
            for number, (kind, vectors, unit) in enumerate(drawn, first):
                caption = (
                    f"Path {path}, {kind} of the pods: with spin, without, and what lies along the pod; axes along base x are "
                    "ours."
                )
                title = f"Path {path}: {kind}"
                self.shop.draw_figure(section, number, caption, draw_turning, t, vectors, found.n, unit, title)

    def compare_improved_model(self, section: ReportSection) -> None:
        """Figures 9 and 10."""
        self.shop.tell("pedrammehr2012: forces with and without the improvements …")
        rows = []
        for path in NUMBERS:
            new, old = self.by_paper(path), self.by_paper(path, OLDER)
            spin, moment = (self.by_paper(path, do) for do in (Switches(spin=False), Switches(moment=False)))
            differences = (np.abs(x.f - new.f).max() for x in (spin, moment, old))
            rows.append((f"path {path}", *(f"{d:.2f}" for d in differences)))
        head = ("largest change, N", "no spin", "no moment along u × v", "neither: older models")
        section.grids.append(Grid(head, tuple(rows), head[1:], "What the paper's two improvements are worth"))
        pose = self.runs[1].q[:, :7]
        rest = np.zeros((len(pose), 6))
        still, without = (pod_forces(self.pods, pose, rest, rest, do).f for do in (Switches(), Switches(moment=False)))
        what, change = "moment along u × v left out, path 1 at rest", np.abs(still - without).max()
        section.comparisons.append(equals(what, change, AT_REST, "N", 0.5, INDEPENDENT, form=".1f"))
        for path, number in ((2, 9), (3, 10)):
            caption = (
                f"Path {path}, forces: corrected equations, older models (no spin, moment along the pod), difference."
            )
            given = (self.runs[path].time, self.by_paper(path), self.by_paper(path, OLDER))
            self.shop.draw_figure(section, number, caption, draw_forces, *given, f"Path {path}: forces of the pods")

    def vary_unstated_axes(self, section: ReportSection) -> None:
        """Other fixed axes and another sense of v."""
        changes: dict[str, list[float]] = {}
        rows: list[tuple[str, ...]] = [("ours: u along base x", "0", "0", "0", self._spins(self.pods))]
        for choice in axes.choices(self.pods.b):
            self.shop.tell(f"pedrammehr2012: {choice.name} …")
            model = axes.model_with(choice)
            changes[choice.name] = found = [axes.largest_change(model, run) for run in self.runs.values()]
            rows.append((choice.name, *(f"{x:.1f}" for x in found), self._spins(replace(self.pods, u=choice.u))))
        head = ("axes", "path 1, N", "path 2, N", "path 3, N", "largest spin of pods 1 … 6 on path 1, rad/s")
        title = "Largest change of a force when the axes are chosen otherwise"
        section.grids.append(Grid(head, tuple(rows), head[1:4], title))
        section.said.append(
            "They matter more than any misprint: the library takes them from the description (`gough show pedrammehr2012`)."
        )
        section.comparisons += axes.comparisons(changes)
        section.data["axes_N"] = changes

    def _spins(self, pods: Pods) -> str:
        run = self.runs[1]
        found = pod_forces(pods, run.q[:, :7], run.v, run.acceleration)
        return " ".join(f"{x:.3f}" for x in np.abs(dot(found.w, found.n)).max(axis=0))

    def show_misprints(self, section: ReportSection) -> None:
        """Those that the direct route shows are computed, those of the closed form quoted."""
        self.shop.tell("pedrammehr2012: misprints …")
        right, t = self.by_paper(3), self.runs[3].time
        changes = {}
        for name, (do, known, tolerance) in COSTS.items():
            changes[name] = change = float(np.abs(self.by_paper(3, do).f - right.f).max())
            section.comparisons.append(
                equals(f"path 3, {name}", change, known, "N", tolerance, TRANSCRIPTION, form=".2f")
            )
        section.data["misprints_N"] = changes
        tell_misprints(section, PAPER, {name: f"{change:.3g} N" for name, change in changes.items()})
        section.said.append(
            "So the paper's claim that the theorem of parallel axes improves the model is its largest error; what it says "
            "of the universal joint is right."
        )
        printed = self.by_paper(3, COSTS["parallel axes, pods"][0])
        caption = "Path 3 with the parallel axes counted twice, as printed in (32)–(33) with (31)."
        self.shop.draw_picture(section, "printed", caption, draw_printed, t, right, printed, "Path 3")


PAPER = Paper.read("pedrammehr2012", Pedrammehr2012)


# ---- figures

TURNING = ("with spin (improved)", "without (simplified)", "difference")
FORCES = ("improved, corrected", "older models", "difference")
STYLES = ({"color": COLORS[0]}, {"color": COLORS[1], "linestyle": "--"}, {"color": COLORS[2], "linestyle": ":"})


def _six(t: np.ndarray, three: tuple[np.ndarray, ...], names: tuple[str, ...], unit: str, title: str) -> Any:
    """A panel a pod; three: (n, 6) each."""
    figure = canvas(10, 5.6)
    figure.suptitle(title, fontsize=12)
    axes = figure.subplots(2, 3, sharex=True)
    for k, ax in enumerate(axes.flat):
        for values, name, style in zip(three, names, STYLES, strict=True):
            ax.plot(t, values[:, k], label=name, linewidth=1.5, **style)
        label_axes(ax, f"pod {k + 1}", unit if k % 3 == 0 else "", "time (s)" if k > 2 else "")
        ax.set_xlim(0.0, round(float(t[-1] + t[0]), 3))
        ax.margins(y=0.08)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), ncols=3, loc="outside lower center", frameon=False)
    return figure


def draw_turning(t: np.ndarray, vectors: np.ndarray, n: np.ndarray, unit: str, title: str) -> Any:
    """[Pedrammehr 2012, Figs. 5–8]: magnitudes of angular velocities or accelerations (n, 6, 3), of their parts across the pods
    n, and of what is left along them."""
    along = np.einsum("tki,tki->tk", vectors, n)
    across = np.linalg.norm(vectors - along[..., None] * n, axis=-1)
    return _six(t, (np.linalg.norm(vectors, axis=-1), across, np.abs(along)), TURNING, unit, title)


def draw_forces(t: np.ndarray, improved: PodForces, simplified: PodForces, title: str) -> Any:
    """[Pedrammehr 2012, Figs. 9–10]: forces of the pods by both models."""
    return _six(t, (improved.f, simplified.f, improved.f - simplified.f), FORCES, "force (N)", title)


def draw_printed(t: np.ndarray, right: PodForces, printed: PodForces, title: str) -> Any:
    """Forces as they are and with the parallel axes counted twice, and the error."""
    figure = canvas(10, 4.2)
    axes = figure.subplots(1, 2)
    for k in range(6):
        axes[0].plot(t, right.f[:, k], color=COLORS[k], linewidth=1.5, label=f"pod {k + 1}")
        axes[0].plot(t, printed.f[:, k], "--", color=COLORS[k], linewidth=1.0)
        axes[1].plot(t, printed.f[:, k] - right.f[:, k], color=COLORS[k], linewidth=1.5)
    label_axes(axes[0], f"{title}: corrected (solid), as printed (dashed)", "force (N)")
    label_axes(axes[1], "As printed minus corrected", "error (N)")
    for ax in axes:
        ax.set_xlim(0.0, round(float(t[-1] + t[0]), 3))
    figure.legend(*axes[0].get_legend_handles_labels(), ncols=6, loc="outside lower center", frameon=False)
    return figure
