"""[Pedrammehr 2012] part by part."""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from gough_papers.along import Along, along
from gough_papers.comparison import equals
from gough_papers.cost import HEAD
from gough_papers.known import INDEPENDENT
from gough_papers.pedrammehr2012 import axes, figures
from gough_papers.pedrammehr2012.pods import PodForces, Pods, Switches, dot, pod_forces, pods_of
from gough_papers.report.section import Grid, Section

if TYPE_CHECKING:
    from gough_papers.workshop import Workshop

PATHS = (1, 2, 3)
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


class Pedrammehr2012:
    """The parts in their order."""

    def __init__(self, shop: "Workshop") -> None:
        self.shop = shop

    def parts(self) -> list[tuple[str, Callable[[Section], None]]]:
        """(title, what fills its section)."""
        return [
            ("Forces on the three paths", self.forces),
            ("Angular velocities and accelerations of the pods (Figs. 5–8)", self.turning),
            ("Forces with and without the improvements (Figs. 9 and 10)", self.improved),
            ("The axes that are not stated", self.unstated),
            ("Misprints, and what each costs", self.misprints),
        ]

    @cached_property
    def runs(self) -> dict[int, Along]:
        """By number of the path."""
        model = self.shop.model("pedrammehr2012")
        return {k: along(model, f"pedrammehr2012_path{k}") for k in PATHS}

    @cached_property
    def pods(self) -> Pods:
        """The robot's data for the paper's own equations."""
        return pods_of(self.shop.model("pedrammehr2012"))

    def by_paper(self, path: int, do: Switches | None = None) -> PodForces:
        """The paper's equations, corrected but for what `do` switches."""
        return pod_forces(self.pods, self.runs[path].states, do or Switches())

    def forces(self, section: Section) -> None:
        """Every known number, and the corrected equations of the paper beside the library."""
        from gough_papers.report.animation import animation
        from gough_papers.report.skeleton import hexapod

        self.shop.tell("pedrammehr2012: forces on three paths …")
        rows, worst = [], 0.0
        cells = self.runs[3].cost().cells
        for k, run in self.runs.items():
            section.comparisons += run.comparisons()
            off = np.abs(self.by_paper(k).f - run.forces).max() / np.abs(run.forces).max()
            worst = max(worst, float(off))
            rms = np.sqrt(np.mean(run.forces**2))
            rows.append((run.scenario.title, str(len(run.states)), f"{abs(run.forces).max():.1f}", f"{rms:.1f}"))
        head = ("path", "samples", "max |f| N", "rms N")
        section.grids = [
            Grid(head, tuple(rows), head[1:], "Drive forces, positive lengthens the pod"),
            Grid(("function", *HEAD), (("inverse dynamics", *cells),), HEAD, "Cost, parameters are inputs"),
        ]
        section.comparisons.append(
            equals(
                "the paper's equations, corrected, minus the library",
                worst,
                0.0,
                "of max |f|",
                1e-12,
                "another formulation: [Pedrammehr 2012, eqs. 1–40, 45–50, corrected]",
                form=".1e",
            )
        )
        section.said.append(
            "The printed inertia tensors of both pod parts and of the platform belong to no real body; they "
            "enter linearly, so the forces are well "
            "defined. The paper needs 1.58 s for its paths in MATLAB, on another machine."
        )
        if self.shop.draws:
            run = self.runs[3]
            points, lines = hexapod(run.model, run.q, ("lower",))
            section.moving = animation(10 * run.states.t, points, lines, "Path 3, ten times slower.")

    def turning(self, section: Section) -> None:
        """Figures 5 to 8; the library's twists beside the paper's formula."""
        self.shop.tell("pedrammehr2012: angular velocities of the pods …")
        worst = 0.0
        for k in PATHS:
            run = self.runs[k]
            twist = np.stack(
                [run.model.frame_twist(run.q, run.states.v, f"leg{i}.lower")[:, 3:] for i in range(6)], axis=1
            )
            worst = max(worst, float(np.abs(twist - self.by_paper(k).w).max()))
        section.comparisons.append(
            equals(
                "angular velocities: eqs. 13–17 minus the library", worst, 0.0, "rad/s", 1e-12,
                "[Pedrammehr 2012, eqs. 13–17]", form=".1e",
            )
        )  # fmt: skip
        section.said.append(
            "With the fixed axes along base x, ours, path 1 has no spin in any pod: the curves with and without "
            "it coincide. The paper's text reports spin "
            "in pods 3, 4 and 5 there, so its axes are others; the table of the next part but one shows that "
            "neither base y nor tangential axes are "
            "those either. Magnitudes are drawn; “difference” is the part along the pod, which older models leave out."
        )
        for path, label, what in (
            (1, ("Fig. 5", "Fig. 6"), "Path 1"),
            (2, ("Fig. 7", "Fig. 8"), "Path 2"),
        ):
            found, t = self.by_paper(path), self.runs[path].states.t
            for name, vectors, unit in (
                (label[0], found.w, "rad/s"),
                (label[1], found.alpha, "rad/s²"),
            ):
                kind = "angular velocities" if unit == "rad/s" else "angular accelerations"
                self.shop.draw(
                    section,
                    name.lower().replace(". ", ""),
                    f"{what}, {kind} of the pods: with spin, without, and what lies along the pod; axes along base x are ours.",
                    lambda t=t, x=vectors, n=found.n, u=unit, title=f"{what}: {kind}": figures.draw_turning(
                        t, x, n, u, title
                    ),
                    name,
                )

    def improved(self, section: Section) -> None:
        """Figures 9 and 10."""
        self.shop.tell("pedrammehr2012: forces with and without the improvements …")
        rows = []
        for path in PATHS:
            new, old = self.by_paper(path), self.by_paper(path, OLDER)
            spin, moment = (self.by_paper(path, do) for do in (Switches(spin=False), Switches(moment=False)))
            differences = (np.abs(x.f - new.f).max() for x in (spin, moment, old))
            rows.append((f"path {path}", *(f"{d:.2f}" for d in differences)))
        head = ("largest change, N", "no spin", "no moment along u × v", "neither: older models")
        section.grids.append(Grid(head, tuple(rows), head[1:], "What the paper's two improvements are worth"))
        states = replace(self.runs[1].states, v=np.zeros((601, 6)), acceleration=np.zeros((601, 6)))
        still, without = (pod_forces(self.pods, states, do).f for do in (Switches(), Switches(moment=False)))
        section.comparisons.append(
            equals(
                "moment along u × v left out, path 1 at rest",
                np.abs(still - without).max(),
                AT_REST,
                "N",
                0.5,
                INDEPENDENT,
                form=".1f",
            )
        )
        for path, label in ((2, "Fig. 9"), (3, "Fig. 10")):
            t, new, old = self.runs[path].states.t, self.by_paper(path), self.by_paper(path, OLDER)
            caption = (
                f"Path {path}, forces: corrected equations, older models (no spin, moment along the pod), difference."
            )
            self.shop.draw(
                section,
                label.lower().replace(". ", ""),
                caption,
                lambda t=t, new=new, old=old, path=path: figures.draw_forces(
                    t, new, old, f"Path {path}: forces of the pods"
                ),
                label,
            )

    def unstated(self, section: Section) -> None:
        """Other fixed axes and another sense of v."""
        changes: dict[str, list[float]] = {}
        rows: list[tuple[str, ...]] = [("ours: u along base x", "0", "0", "0", _spins(self.pods, self.runs[1]))]
        for choice in axes.choices(self.pods.b):
            self.shop.tell(f"pedrammehr2012: {choice.name} …")
            model = axes.model_with(choice)
            found = [np.abs(axes.forces(model, r.states) - r.forces).max() for r in self.runs.values()]
            changes[choice.name] = [float(x) for x in found]
            rows.append(
                (choice.name, *(f"{x:.1f}" for x in found), _spins(replace(self.pods, u=choice.u), self.runs[1]))
            )
        head = ("axes", "path 1, N", "path 2, N", "path 3, N", "largest spin of pods 1 … 6 on path 1, rad/s")
        section.grids.append(
            Grid(head, tuple(rows), head[1:4], "Largest change of a force when the axes are chosen otherwise")
        )
        section.said.append(
            "They matter more than any misprint: the library takes them from the description (`gough show pedrammehr2012`)."
        )
        section.comparisons += axes.comparisons(changes)
        section.data["axes_N"] = changes

    def misprints(self, section: Section) -> None:
        """Those that the direct route shows are computed, those of the closed form quoted."""
        from gough_papers.pedrammehr2012.paper import PAPER
        from gough_papers.report.misprints import misprint_grids, misprint_note

        self.shop.tell("pedrammehr2012: misprints …")
        now, right = {}, self.by_paper(3)
        for name, (do, known, tolerance) in COSTS.items():
            change = float(np.abs(self.by_paper(3, do).f - right.f).max())
            now[name] = f"{change:.3g} N"
            origin = "transcription of the printed equations"
            section.comparisons.append(equals(f"path 3, {name}", change, known, "N", tolerance, origin, form=".2f"))
            section.data.setdefault("misprints_N", {})[name] = change
        section.said.append(misprint_note(PAPER))
        section.said.append(
            "So the paper's claim that the theorem of parallel axes improves the model is its largest error; what it says "
            "of the universal joint is right."
        )
        section.grids += misprint_grids(PAPER, now)
        printed, t = self.by_paper(3, COSTS["parallel axes, pods"][0]), self.runs[3].states.t
        caption = "Path 3 with the parallel axes counted twice, as printed in (32)–(33) with (31)."
        self.shop.draw(section, "printed", caption, lambda: figures.draw_printed(t, right, printed, "Path 3"))


def _spins(pods: Pods, run: Along) -> str:
    found = pod_forces(pods, run.states)
    return " ".join(f"{x:.3f}" for x in np.abs(dot(found.w, found.n)).max(axis=0))
