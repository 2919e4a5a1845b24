"""[Pedrammehr 2012] part by part: forces on three paths, axes not stated, what the true universal joint adds, time, misprints."""

from dataclasses import replace
from functools import cached_property

import numpy as np

from gough import Run
from gough_papers.along import COST_HEAD, PATHS, TIMED_STATES, inverse_cost, known_forces, run_along
from gough_papers.comparison import (
    TRANSCRIPTION,
    Demonstration,
    Origin,
    equals,
    exact,
    half_digit,
    rounding,
)
from gough_papers.pedrammehr2012 import axes, search, timing
from gough_papers.pedrammehr2012._closed_checks import check_closed_form
from gough_papers.pedrammehr2012._search_text import (
    CLAIM,
    EXACTLY,
    NEARLY,
    VELOCITIES,
    gaps_grid,
    search_as_printed,
    search_grids,
    search_summary,
    spinning_pods,
    vectors_in_rad,
)
from gough_papers.pedrammehr2012._text import MODELS, SENTENCES, TIME, WITHOUT_SPIN
from gough_papers.pedrammehr2012.closed import closed_form_forces
from gough_papers.pedrammehr2012.figures import draw_forces, draw_turning
from gough_papers.pedrammehr2012.known import (
    APART,
    AT_REST,
    CLOSED,
    CLOSED_COSTS,
    CLOSED_FORM,
    COSTS,
    NO_SPIN,
    ROUTES,
    SIMPLER,
)
from gough_papers.pedrammehr2012.pods import (
    AS_READ,
    PRINTED,
    SIMPLIFIED,
    PodForces,
    Pods,
    Switches,
    dot,
    pod_forces,
    pod_motion,
    pods_of,
)
from gough_papers.reproduction import Paper, Parts, Tour
from gough_papers.section import Grid, ReportSection
from gough_papers.tables import tell_misprints

NUMBERS = (1, 2, 3)
OURS = "u along base x (assumed)"
THEIR_SECONDS = 1.58


class Pedrammehr2012(Tour):
    """The parts in their order."""

    def parts(self) -> Parts:
        """What is reproduced, section by section."""
        return [
            ("Forces on the three paths", self.compare_forces),
            ("The axes that are not stated", self.vary_unstated_axes),
            ("Angular velocities and accelerations of the pods (Figs. 5–8)", self.compare_turning),
            ("Forces as printed, corrected and simplified (Figs. 9 and 10)", self.compare_improved_model),
            ("Computing time", self.compare_time),
            ("Misprints, what is unsaid or simplified, and what each costs", self.show_misprints),
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

    @cached_property
    def along_b(self) -> Pods:
        """The same with each fixed axis along its base point's position."""
        return replace(self.pods, u=self.pods.b / np.linalg.norm(self.pods.b, axis=1, keepdims=True))

    def by_paper(self, path: int, do: Switches | None = None, pods: Pods | None = None) -> PodForces:
        """The paper's equations, corrected but for what `do` switches."""
        run = self.runs[path]
        return pod_forces(pods or self.pods, run.q[:, :7], run.v, run.acceleration, do or Switches())

    def by_closed_form(self, path: int, do: Switches | None = None) -> np.ndarray:
        """Forces (n, 6) of its other route."""
        run = self.runs[path]
        return closed_form_forces(self.pods, run.q[:, :7], run.v, run.acceleration, do or Switches())

    def compare_forces(self, section: ReportSection) -> None:
        """Every known number, and the corrected equations of the paper beside the library."""
        self.shop.tell("pedrammehr2012: forces on three paths …")
        rows, worst = [], {"direct route": 0.0, "closed form": 0.0}
        cells = inverse_cost(self.runs[3]).cells
        for k, run in self.runs.items():
            path = f"pedrammehr2012_path{k}"
            section.comparisons += known_forces(path, run.tau)
            for route, found in zip(worst, (self.by_paper(k).f, self.by_closed_form(k)), strict=True):
                worst[route] = max(worst[route], float(np.abs(found - run.tau).max() / np.abs(run.tau).max()))
            rms = np.sqrt(np.mean(run.tau**2))
            rows.append((PATHS[path].title, str(len(run)), f"{abs(run.tau).max():.1f}", f"{rms:.1f}"))
        head = ("path", "samples", "max |f| N", "rms N")
        section.grids = [
            Grid(head, tuple(rows), head[1:], "Drive forces with our axes, positive lengthens the pod"),
            Grid(("function", *COST_HEAD), (("inverse dynamics", *cells),), COST_HEAD, "Cost, parameters are inputs"),
        ]
        for route, used in ROUTES.items():
            what, origin = f"the paper's {route}, corrected, minus the library", Origin("transcription", used)
            section.comparisons.append(
                equals(what, worst[route], 0.0, "of max |f|", rounding(1e-12), origin, form=".1e")
            )
        section.said.append(
            "The paper prints no force: its results are curves, which the text we work from does not have. What is compared "
            "here is the library with an independent model of the same robot, and with both routes of the paper after the "
            "corrections below. External force and moment are zero, as printed. The inertia tensors, by "
            "the paper's words those of its reference [19], belong to no real body: I_do has two negative eigenvalues, I_uo and "
            "ᴾI_p are against the triangle inequality. They enter linearly, so the forces are well defined."
        )
        section.said.append(
            "The independent model's forces are stored to the digits shown: “differs by” is their rounding, and says nothing of "
            "smaller differences. On paths 2 and 3 the largest force is pod 3's at the first sample: that number stands there "
            f"twice. Cost: in a batch of {TIMED_STATES} states on all threads; compiling takes no time where the "
            "function was compiled before."
        )
        self.shop.move(section, self.runs[3], "Path 3, ten times slower.", speed=0.1)

    def vary_unstated_axes(self, section: ReportSection) -> None:
        """What the text says of path 1, axes that were tried for it, and what axes do to the forces."""
        self.shop.tell("pedrammehr2012: axes that agree with the text …")
        run = self.runs[1]
        swing = search.path_swing(self.pods, run.q[:: len(run) // (search.SAMPLES - 1), :3], float(run.v[0, 0]))
        found: dict[search.LastTerm, list[search.SearchedFamily]] = {
            last: search.search(self.pods, swing, last) for last in search.LAST_TERMS
        }
        along_b = {reading: search.gaps(swing, self.along_b.u, reading) for reading in search.READINGS}
        ours = spinning_pods(swing, search.spins(swing, self.pods.u)[0])
        summary = search_summary(found["corrected"], search.most_apart(swing), along_b["vectors"])
        more = [vectors_in_rad(search.spins(swing, self.along_b.u)[0]), search_as_printed(found)]
        section.said += [CLAIM, ours, EXACTLY, VELOCITIES, NEARLY, summary, *more]
        section.grids.append(gaps_grid(swing, {OURS: self.pods.u, axes.ALONG_B: self.along_b.u}))
        section.grids += search_grids(found["corrected"])
        contrast = float(along_b["magnitudes"].contrast)
        why = "u along b_i was taken because of it"
        section.demonstrations.append(Demonstration("contrast of u along b_i, magnitudes", f"{contrast:.2f}", why))
        self._change_axes(section)

    def _change_axes(self, section: ReportSection) -> None:
        changes: dict[str, list[float]] = {}
        rows: list[tuple[str, ...]] = [(OURS, "0", "0", "0", self._spins(self.pods))]
        for choice in axes.choices(self.pods.b):
            self.shop.tell(f"pedrammehr2012: {choice.name} …")
            model = axes.model_with(choice)
            changes[choice.name] = found = [axes.largest_change(model, run) for run in self.runs.values()]
            rows.append((choice.name, *(f"{x:.1f}" for x in found), self._spins(replace(self.pods, u=choice.u))))
        head = ("axes", "path 1, N", "path 2, N", "path 3, N", "largest spin of pods 1 … 6 on path 1, rad/s")
        title = "Largest change of a force when the axes are chosen otherwise"
        section.grids.append(Grid(head, tuple(rows), head[1:4], title))
        section.said.append(
            "What a choice changes, u and the sense of v, is more than what any misprint of the direct route changes on the same "
            "path, but for u along b_i with v = u × n on path 3. All forces of this report are with u along base x unless it is "
            "said: it is the gallery robot's, stated as assumed, and the library takes it from the description."
        )
        section.comparisons += axes.comparisons(changes)
        section.data["axes_N"] = changes

    def _spins(self, pods: Pods) -> str:
        found = self.by_paper(1, pods=pods)
        return " ".join(f"{x:.3f}" for x in np.abs(dot(found.w, found.n)).max(axis=0))

    def compare_turning(self, section: ReportSection) -> None:
        """Figures 5 to 8; the library's twists beside the paper's formula."""
        self.shop.tell("pedrammehr2012: angular velocities of the pods …")
        worst, identity, axial, rows = 0.0, 0.0, 0.0, []
        for k, run in self.runs.items():
            with_spin, without = self.by_paper(k), self.by_paper(k, SIMPLIFIED)
            twists = [run.model.frame_twist(run.q, run.v, f"leg{i}.lower")[:, 3:] for i in range(6)]
            worst = max(worst, float(np.abs(np.stack(twists, axis=1) - with_spin.w).max()))
            for name, pods in ((OURS, self.pods), (axes.ALONG_B, self.along_b)):
                with_spin, without = self.by_paper(k, pods=pods), self.by_paper(k, SIMPLIFIED, pods)
                n, along = with_spin.n, dot(with_spin.alpha, with_spin.n)[..., None]
                lost = dot(with_spin.w, n)[..., None] * np.cross(without.w, n)
                identity = max(identity, float(np.abs(with_spin.alpha - without.alpha - along * n - lost).max()))
                moved = pod_motion(pods, run.q[:, :7], run.v, run.acceleration)
                product = dot(moved.w, moved.u) * dot(
                    moved.w, np.cross(moved.c, moved.u)
                )  # ω_u ω_v from ω, not from (25)
                axial = max(axial, float(np.abs(dot(moved.alpha, moved.c) - product).max()))
                slip = self.by_paper(k, Switches(eq25=False), pods).alpha - with_spin.alpha
                sizes = (without.alpha, with_spin.alpha - without.alpha, along, lost, slip)
                rows.append((f"path {k}, {name}", *map(_size, sizes)))
        what = "angular velocities, u along base x: eqs. 15–17 minus the library"
        origin = Origin("transcription", "(15)–(17)")
        section.comparisons.append(equals(what, worst, 0.0, "rad/s", rounding(1e-12), origin, form=".1e"))
        what, origin = "α - α without spin - α_t n - ω_t ω_n × n", exact("(11) solved with and without spin")
        section.comparisons.append(equals(what, identity, 0.0, "rad/s²", rounding(1e-11), origin, form=".1e"))
        what, origin = "α·c by (22)–(25) minus (ω·u)(ω·v), ω by (15)–(17)", exact("(18): c is normal to u and v")
        section.comparisons.append(equals(what, axial, 0.0, "rad/s²", rounding(1e-11), origin, form=".1e"))
        still = [self.by_paper(1, do) for do in (Switches(), SIMPLIFIED)]
        same = max(float(np.abs(a - b).max()) for a, b in zip(*((x.w, x.alpha) for x in still), strict=True))
        what, origin = "path 1, u along base x: ω and α with minus without spin", exact("no pod spins there")
        section.comparisons.append(equals(what, same, 0.0, "rad/s, rad/s²", rounding(1e-12), origin, form=".1e"))
        head = (
            "largest, rad/s²",
            "|α| without spin",
            "|difference|",
            "of it α_t n",
            "of it ω_t ω_n × n",
            "slip in (25)",
        )
        section.grids.append(Grid(head, tuple(rows), head[1:], "Angular accelerations with and without spin"))
        section.said.append(WITHOUT_SPIN)
        section.said.append(SENTENCES)
        for path, first in ((1, 5), (2, 7)):
            kinds = (("angular velocities", "w", "rad/s"), ("angular accelerations", "alpha", "rad/s²"))
            for number, (kind, vectors, unit) in enumerate(kinds, first):
                caption = f"Path {path}, {kind} of the pods: our axes, and axes along b_i. {_LINES}"
                cases = {
                    name: tuple(getattr(self.by_paper(path, do, pods), vectors) for do in (Switches(), SIMPLIFIED))
                    for name, pods in ((OURS, self.pods), (f"{axes.ALONG_B} (not stated either)", self.along_b))
                }
                given = (self.runs[path].time, cases, unit, f"Path {path}: {kind}")
                self.shop.draw_figure(section, number, caption, draw_turning, *given)

    def compare_improved_model(self, section: ReportSection) -> None:
        """Figures 9 and 10, and path 1."""
        self.shop.tell("pedrammehr2012: forces as printed, corrected and simplified …")
        section.said.append(MODELS)
        section.said.append(self._amplitudes())
        section.grids += [self._apart(OURS, self.pods), self._apart_in_closed_form(section)]
        section.grids += [self._apart(axes.ALONG_B, self.along_b), self._improvements()]
        for name, (do, known) in APART.items():
            found = [np.abs(self.by_paper(k, do).f - self.by_paper(k, SIMPLIFIED).f).max() for k in NUMBERS]
            what = f"{name} minus simplified, paths 1, 2, 3"
            section.comparisons.append(equals(what, found, known, "N", half_digit(0.05), SIMPLER, form=".1f"))
        pose = self.runs[1].q[:, :7]
        rest = np.zeros((len(pose), 6))
        still, without = (pod_forces(self.pods, pose, rest, rest, do).f for do in (Switches(), Switches(moment=False)))
        what, change = "moment along the pod, not along u × v, path 1 at rest", np.abs(still - without).max()
        section.comparisons.append(equals(what, change, AT_REST, "N", half_digit(0.5), SIMPLER, form=".0f"))
        change = np.abs(self.by_paper(3, Switches(spin=False)).f - self.by_paper(3).f).max()
        section.comparisons.append(
            equals("spin left out, path 3", change, NO_SPIN, "N", half_digit(0.05), SIMPLER, form=".1f")
        )
        for path, number in ((2, 9), (3, 10), (1, 0)):
            caption = f"Path {path}, our axes: forces as printed, corrected, simplified; differences from the simplified ones."
            three = (self.by_paper(path, do) for do in (PRINTED, Switches(), SIMPLIFIED))
            given = (draw_forces, self.runs[path].time, *three, f"Path {path}: forces of the pods")
            if number:
                self.shop.draw_figure(section, number, caption, *given)
            else:
                self.shop.draw_picture(section, "path1", caption, *given)

    def _amplitudes(self) -> str:
        """What the text says of Figs. 9 and 10, beside the largest force."""
        told = []
        for path in NUMBERS:
            simplified = self.by_paper(path, SIMPLIFIED).f
            largest = np.abs(self.by_paper(path).f).max()
            printed, corrected = (
                100 * np.abs(self.by_paper(path, do).f - simplified).max() / largest for do in (PRINTED, Switches())
            )
            told.append(f"path {path}: as printed {printed:.1f} %, corrected {corrected:.1f} %")
        return (
            "The text says that both models “exhibit similar trends of change, but difference in amplitudes”, and calls the "
            "differences “quite obvious” and “significant”. Ours, at most, of the largest force on the path, our axes: "
            f"{'; '.join(told)}. The paper prints no number to compare."
        )

    def _apart(self, name: str, pods: Pods) -> Grid:
        """Differences of the models pod by pod."""
        rows = []
        for k in NUMBERS:
            simplified = self.by_paper(k, SIMPLIFIED, pods).f
            for what, do in (("as printed", PRINTED), ("corrected", Switches())):
                off = np.abs(self.by_paper(k, do, pods).f - simplified)
                rows.append((f"path {k}, {what}", *(f"{x:.1f}" for x in off.max(axis=0)), f"{off.max():.1f}"))
        head = ("|difference|, N", *(f"pod {k}" for k in range(1, 7)), "largest")
        return Grid(
            head, tuple(rows), head[1:], f"Largest |difference| from the simplified model, direct route, {name}"
        )

    def _apart_in_closed_form(self, section: ReportSection) -> Grid:
        """Of the closed form, our axes, all pods; with and without what may be a fault of our text."""
        simplified = {k: self.by_paper(k, SIMPLIFIED).f for k in NUMBERS}
        cases = {"as printed": PRINTED, "as printed, † as our text has it": AS_READ, "corrected": Switches()}
        found = {
            name: [float(np.abs(self.by_closed_form(k, do) - simplified[k]).max()) for k in NUMBERS]
            for name, do in cases.items()
        }
        name = "as printed, † as our text has it"
        what = f"closed form {name}, minus simplified, paths 1, 2, 3"
        section.comparisons.append(equals(what, found[name], CLOSED, "N", half_digit(0.05), CLOSED_FORM, form=".1f"))
        head = ("|difference|, N", *(f"path {k}" for k in NUMBERS))
        rows = tuple((name, *(f"{x:.1f}" for x in values)) for name, values in found.items())
        return Grid(head, rows, head[1:], f"Largest |difference| from the simplified model, closed form, {OURS}")

    def _improvements(self) -> Grid:
        """Of the corrected equations, one left out."""
        rows = []
        for path in NUMBERS:
            new = self.by_paper(path)
            left_out = (Switches(spin=False), Switches(moment=False), SIMPLIFIED)
            differences = (np.abs(self.by_paper(path, do).f - new.f).max() for do in left_out)
            rows.append((f"path {path}", *(f"{d:.2f}" for d in differences)))
        head = ("largest |change|, N", "no spin", "moment along the pod", "both (simplified)")
        return Grid(head, tuple(rows), head[1:], "Corrected equations, our axes, when an improvement is left out")

    def compare_time(self, section: ReportSection) -> None:
        """The paper's one time beside ours, which are of another machine and of another number of samples."""
        self.shop.tell("pedrammehr2012: computing time …")
        runs = list(self.runs.values())
        here, samples = timing.this_machine(), str(sum(map(len, runs)))
        found = {
            "library, compiled, poses to forces": timing.library_time(runs),
            "the corrected equations in NumPy": timing.equations_time(self.pods, runs),
        }
        rows = [
            ("the paper, MATLAB, improved model", "not printed", f"{THEIR_SECONDS}", "Intel Core 2 Duo 2.5 GHz, 4 GB")
        ]
        rows += [(name, samples, f"{spent.median:.2g}", here) for name, spent in found.items()]
        head = ("the mentioned paths", "samples in all", "seconds", "machine")
        title = f"Time for the paths, ours the median of {timing.REPEATS}, in this run, compiling not included"
        section.grids.append(Grid(head, tuple(rows), head[1:3], title))
        section.said.append(TIME)
        section.data["seconds"] = {name: spent.median for name, spent in found.items()}

    def show_misprints(self, section: ReportSection) -> None:
        """Each alone, by the route that shows it."""
        self.shop.tell("pedrammehr2012: misprints …")
        right = self.by_paper(3).f
        changes = {}
        for name, (do, known, tolerance) in (COSTS | CLOSED_COSTS).items():
            found = self.by_paper(3, do).f if name in COSTS else self.by_closed_form(3, do)
            changes[name] = change = float(np.abs(found - right).max())
            section.comparisons.append(
                equals(f"path 3, {name}", change, known, "N", half_digit(tolerance), TRANSCRIPTION, form=".3g")
            )
        section.data["misprints_N"] = changes
        tell_misprints(section, PAPER, {name: f"{change:.3g} N" for name, change in changes.items()})
        simplified = self.by_paper(3, SIMPLIFIED).f
        as_printed, corrected = (np.abs(self.by_paper(3, do).f - simplified).max() for do in (PRINTED, Switches()))
        section.said.append(
            "Here “computed now” is not with the library but with the paper's equations in NumPy, at the library's motion; the "
            "known costs are from the transcription in the tests. They are two programs by the same equations."
        )
        section.said.append(
            "The paper counts the theorem of parallel axes among its improvements. (31) and (49) hold m L × L̈ and m r × Ẍ_g "
            "already, and the paper has the tensors of its pods about the mass centres: with the terms of (32), (33) and (50) "
            "these moments are there twice. Of the slips of the direct route that is the largest on path 3: "
            f"{changes['parallel axes, pods']:.0f} N (pods) and {changes['parallel axis, platform']:.0f} N (platform) beside "
            f"{changes['divisor in (25)']:.2f} N of (25). That (32), (33) put base components into pod axes is a slip of its "
            "own: by the words of section 6, which has them in the pod's frame, "
            f"{changes['parallel axes, pods, in their own axes']:.0f} N are left. There the equations as printed are up to "
            f"{as_printed:.0f} N from the simplified ones, corrected ones {corrected:.0f} N. Whether the paper's figures were "
            "computed as printed, its text cannot tell. Spin and the moment's direction, its other improvements, are in the "
            "corrected equations, which give the library's forces and those of the independent model."
        )
        self.shop.tell("pedrammehr2012: what the closed form loses …")
        check_closed_form(section, self.pods, self.runs[3])
        section.said.append(
            "Equations without a number, in Appendix 1: R is the library's rotation by yaw, pitch and roll; S_i, S_di and S_ui "
            "belong to the closed form, which the library does without."
        )


_LINES = "Sizes: solid with spin, dashed without; dotted: size of the difference; dash-dotted: difference of the sizes."


def _size(vectors: np.ndarray) -> str:
    """The largest of vectors (..., n); 0 for what rounding leaves."""
    largest = float(np.linalg.norm(vectors, axis=-1).max())
    return f"{largest:.3g}" if largest > 1e-12 else "0"


PAPER = Paper.read("pedrammehr2012", Pedrammehr2012)
