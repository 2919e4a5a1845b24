"""What a page shows: one robot, one or two runs with their robots, or the designs of a study."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.model import Model, build
from gough.robot import Robot
from gough.simulation.control.law import Law
from gough.simulation.motion.limits import check_motion
from gough.simulation.motion.motion import Motion
from gough.simulation.results.along import run_of_report, usual_samples
from gough.simulation.results.formats import SUFFIXES
from gough.simulation.results.run import Run
from gough.studies.result import StudyResult
from gough.viewer.drawing.figure import Figure
from gough.viewer.live.gains import demand_fit
from gough.viewer.posing.designs import DesignStates, demand_designs, front_way

MOST_RUNS = 2
MOST_TOLD = 8
"""Lines about what is wrong with a motion."""


@dataclass(frozen=True)
class LiveSubject:
    """A robot that runs while it is looked at. law: the one it begins with, None: the first that suits it; motion: what laws
    follow, None: rest at home."""

    law: Law | None = None
    motion: Motion | None = None


@dataclass(frozen=True, eq=False)
class ViewSubject:
    """Shared by all pages and never changed. runs: none, one, or two to be compared. dark, plain: how pages begin.

    heading: instead of the names of the robots; remark: beneath it in .html files; plotted: whether those have curves.
    """

    model: Model
    runs: tuple[Run, ...] = ()
    dark: bool = False
    plain: bool = False
    heading: str = ""
    remark: str = ""
    plotted: bool = True
    described: Robot | None = None
    """Of a robot whose variables were moved: as it was at first."""
    study: StudyResult | None = None
    before: "ViewSubject | None" = None
    """Of a design that is looked at alone: the study to come back to."""
    live: LiveSubject | None = None
    """Of a live page: what runs."""
    _figures: dict[int, Figure] = field(default_factory=dict)

    @cached_property
    def figure(self) -> Figure:
        """The drawing of the (first) robot."""
        return self.figure_of(0)

    def figure_of(self, run: int) -> Figure:
        """The drawing of the robot of a run; runs of one model and design share it."""
        if run not in self._figures:
            if run and self.runs[run].model is self.model and self._same_design(run):
                return self.figure_of(0)
            design = self.runs[run].parameters if self.runs else None
            model = self.runs[run].model if self.runs else self.model
            self._figures[run] = Figure(model) if design is None else Figure(model, parameters=design)
        return self._figures[run]

    def _same_design(self, run: int) -> bool:
        return bool(np.array_equal(self.runs[0].design, self.runs[run].design))

    @property
    def start(self) -> np.ndarray:
        """The configuration shown first (nq,)."""
        return self.runs[0].q[0] if self.runs else self.figure.home

    @property
    def title(self) -> str:
        """Of pages and files."""
        if self.heading:
            return self.heading
        if self.study is not None:
            count = len(self.study)
            return f"{self.study.study.name}: {count} design{'s' * (count > 1)} of {self.model.robot.name}"
        names = list(dict.fromkeys(run.robot.name for run in self.runs)) or [self.model.robot.name]
        return " | ".join(names)

    def demand_study(self) -> StudyResult:
        """The study's result of a page that shows one."""
        if self.study is None:
            raise UsageError("this page shows no study")
        return self.study


def subject_of(*what: Any, dark: bool = False, plain: bool = False) -> ViewSubject:
    """The subject of: a model, a description, a name or path of a robot; one or two runs (or paths of result files); or the
    result of a study (or the folder it was saved to)."""
    if not what:
        raise UsageError("view: nothing to show; give a robot or a run")
    opened = [_open(x) for x in what]
    if any(isinstance(x, StudyResult) for x in opened):
        return _study_subject(opened, dark, plain)
    runs = [x for x in opened if isinstance(x, Run)]
    if not runs:
        if len(opened) > 1:
            raise UsageError(f"view: {len(opened)} robots given; one robot, or up to {MOST_RUNS} runs can be shown")
        assert isinstance(opened[0], Model)
        return ViewSubject(opened[0], dark=dark, plain=plain)
    if len(runs) < len(opened):
        raise UsageError("view: a robot and a run given; a run brings its robot with it")
    if len(runs) > MOST_RUNS:
        raise UsageError(f"view: {len(runs)} runs given; up to {MOST_RUNS} can be compared")
    for given, run in zip(what, runs, strict=True):
        _demand_states(given, run)
    return ViewSubject(runs[0].model, tuple(runs), dark, plain)


def _study_subject(opened: list[Any], dark: bool, plain: bool) -> ViewSubject:
    found = opened[0]
    if len(opened) > 1 or not isinstance(found, StudyResult):
        raise UsageError(
            "view: a study is shown alone, its designs beside each other; give one folder and nothing else"
        )
    demand_designs(found)
    states, way = DesignStates(found), front_way(found, 0, True)
    x = way.variables(0.0)
    figure = states.figure(x, states.of_row(states.first, int(way.rows[0]))[0])
    return ViewSubject(states.space.model, dark=dark, plain=plain, study=found, _figures={0: figure})


def live_subject(
    *what: Any, law: Law | None = None, motion: Motion | None = None, dark: bool = False, plain: bool = False
) -> ViewSubject:
    """The subject of a live page: one robot. law, motion: see `LiveSubject`."""
    found = subject_of(*what, dark=dark, plain=plain)
    if found.runs or found.study is not None:
        kind = "run is played" if found.runs else "study is shown"
        raise UsageError(
            f"view: a {kind}, it does not run live; give its robot: a model, a description, a name or a file"
        )
    if law is not None:
        demand_fit(found.model, law, motion)
    return replace(found, live=LiveSubject(law, motion))


def motion_subject(
    *what: Any, motion: Motion, dark: bool = False, plain: bool = False, told: Callable[[str], None] | None = None
) -> ViewSubject:
    """The subject of a page on which one robot is exactly where a motion wants it. told: gets what is wrong with the motion."""
    found = subject_of(*what, dark=dark, plain=plain)
    if found.runs or found.study is not None:
        kind = "run has a motion of its own" if found.runs else "study is shown"
        raise UsageError(f"motion=: a {kind}; give the robot that is to move: a model, a description, a name or a file")
    model = found.model
    report = check_motion(model, motion, samples=usual_samples(motion))
    if told is not None and report.problems:
        lines = str(report).splitlines()[: 1 + len(report.problems) + bool(report.reach)]
        more = len(lines) - MOST_TOLD
        for line in lines[:MOST_TOLD] + ([f"  and {more} more: gough check ROBOT --motion FILE"] if more > 0 else []):
            told(line)
    return replace(found, runs=(run_of_report(model, report),))


def _open(what: Any) -> Model | Run | StudyResult:
    if isinstance(what, Model | Run | StudyResult):
        return what
    if isinstance(what, Robot):
        return build(what)
    if isinstance(what, str | Path):
        if Path(what).is_dir():
            return StudyResult.load(what)
        if Path(what).suffix.lower() in SUFFIXES:
            return Run.load(what)
        return build(what)
    raise UsageError(
        f"view: cannot show a {type(what).__name__}; give a model, a robot, a run, a study's result or a path"
    )


def _demand_states(given: Any, run: Run) -> None:
    name = given if isinstance(given, str | Path) else run.robot.name
    if not len(run):
        raise UsageError(f"{name}: the run has no states; nothing can be shown")
    if not np.isfinite(run.q).all():
        bad = int(np.flatnonzero(~np.isfinite(run.q).all(axis=1))[0])
        raise UsageError(
            f"{name}: state {bad} (t = {run.time[bad]:g} s) is not finite; show the part before it: "
            "run.between(None, t)"
        )
