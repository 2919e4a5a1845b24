"""What a study found: a front of designs, what binds them, and robots made of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import checked, path, whole
from gough.errors import UsageError
from gough.model import build
from gough.studies._folder import load_result, save_asked, save_found
from gough.studies._kept import KeptDesigns, write_tables
from gough.studies._pareto import ParetoFront
from gough.studies._rebuilt import evaluator_on, robot_of_design
from gough.studies.study.evaluation import Evaluated, with_unit
from gough.studies.study.hints import hint_of_limits, hint_of_objectives, hint_of_states, hint_of_units
from gough.studies.study.variables import AT_BOUND

if TYPE_CHECKING:
    from gough.robot.robot import Robot
    from gough.studies.study.study import Study

BINDS = 1e-4
"""A constraint binds where it is nearer than this part of its bound."""


@dataclass(frozen=True, eq=False)
class StudyResult:
    """front: designs that no other beats, kept: all that a run kept (of keep: front the same); designs, robots, feasible: how
    many there were, how many could take all states, and kept their constraints; partial: whether it was interrupted, or its
    budget was spent (out_of_time); folder: of its parts. descents: (start, success, words, evaluations) of every start;
    no_gradients: why there were none, where some would have been of use. remarks: what is to be said of one
    that was loaded: interrupted, files that were changed since."""

    study: "Study"
    front: ParetoFront
    kept_designs: KeptDesigns
    designs: int
    robots: int
    feasible: int
    partial: bool
    seconds: float
    folder: Path | None = None
    descents: tuple[tuple[np.ndarray, bool, str, int], ...] = ()
    no_gradients: str = ""
    out_of_time: bool = False
    remarks: tuple[str, ...] = ()

    @cached_property
    def hint(self) -> str:
        """What may be wrong: why no design takes all states, numbers in mm or degrees, an objective that no variable moves, or
        limits of the description that designs of the front exceed; "" where nothing tells."""
        evaluator, F = self.study.evaluator, self.front.objectives
        if not self.robots and self.designs:
            return hint_of_units(evaluator) or hint_of_states(evaluator)
        if not len(F):
            return ""
        own, still = self.front.designs, not (np.ptp(F, axis=0) > 0).all()
        said = [
            hint_of_objectives(evaluator, own.x[0], own.values[0]) if still else "",
            hint_of_limits(evaluator, own.x),
        ]
        return " ".join(text for text in said if text)

    @property
    def count_words(self) -> str:
        """How many designs there were, and of an evolution how many of them come on top of its count."""
        search, said = self.study.search, f"{self.designs} designs by {self.study.search.method}"
        points = sum(n for *_, n in self.descents)
        if search.method != "evolution" or not points:
            return said
        return f"{said} (count: {search.count}; {points} points of {len(self.descents)} descents come on top)"

    @cached_property
    def kept(self) -> Evaluated:
        """All designs that a run kept, in memory; `kept_parts` goes through them."""
        return self.kept_designs.join()

    def kept_parts(self) -> Iterator[Evaluated]:
        """Designs that a run kept, part after part, in the order of their numbers; of a folder one part is in memory."""
        return self.kept_designs.parts()

    def __len__(self) -> int:
        return len(self.front)

    def __repr__(self) -> str:
        return f"<{self.study.name}: {self.designs} designs, {self.feasible} feasible, {len(self)} on the front>"

    def _row(self, k: int | None) -> int:
        if not self.study.evaluator.objectives:
            raise UsageError(
                f"{self.study.name}: without an objective no design is best; say what to minimise or maximise, or look at "
                "result.kept"
            )
        if not len(self.front):
            if self.partial:
                why = "time was over" if self.out_of_time else "it was ended"
                raise UsageError(
                    f"{self.study.name}: {why} before a design kept all constraints ({self.designs} looked at, {self.robots} "
                    "take all states); the same call in the same folder goes on"
                )
            raise UsageError(
                f"{self.study.name}: none of {self.designs} designs is feasible ({self.robots} take all states): loosen "
                "constraints, widen ranges, or look at more designs" + (f". {self.hint}" if self.hint else "")
            )
        if k is None:
            if self.front.objectives.shape[1] > 1 and len(self.front) > 1:
                raise UsageError(
                    f"{self.study.name}: {len(self.front)} designs are on the front; choose one by its number, 0 … "
                    f"{len(self.front) - 1}, or by result.nearest({{measure: value}})"
                )
            return 0
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 0 <= k < len(self.front):
            raise UsageError(f"{self.study.name}: no design {k}; the front has 0 … {len(self.front) - 1}")
        return k

    def variables(self, k: int | None = None) -> dict[str, float]:
        """Of design k of the front, in SI units; without k of the best, where one objective has one."""
        return dict(zip(self.study.variables, self.front.designs.x[self._row(k)].tolist(), strict=True))

    def values(self, k: int | None = None) -> dict[str, float]:
        """Measures of a design of the front."""
        return dict(zip(self.study.measures, self.front.designs.values[self._row(k)].tolist(), strict=True))

    def nearest(self, wanted: Mapping[str, float]) -> int:
        """The number of the design whose measures are nearest to those wanted, each over its spread on the front."""
        self._row(0)
        if not isinstance(wanted, Mapping):
            raise UsageError(f"nearest: expected {{measure: number in SI units}}, not {wanted!r:.60}")
        names, V = self.study.measures, self.front.designs.values
        unknown = [n for n in wanted if n not in names]
        if unknown or not wanted:
            raise UsageError(f"nearest: name measures of the study, of {', '.join(names)}")
        for name, value in wanted.items():
            if isinstance(value, bool) or not isinstance(value, Real) or not np.isfinite(float(value)):
                raise UsageError(f"nearest: {name} is {value!r}; give a number in SI units")
        places = [names.index(n) for n in wanted]
        size = np.ptp(V[:, places], axis=0)
        off = (V[:, places] - np.array(list(wanted.values()))) / np.where(size > 0, size, 1.0)
        return int(np.linalg.norm(off, axis=1).argmin())

    def binding(self, k: int | None = None) -> list[str]:
        """What holds a design: constraints at their bounds, variables at the ends of their ranges."""
        row, e = self._row(k), self.study.evaluator
        g = self.front.designs.constraints[row]
        out = [name for name, x in zip(e.constraint_names, g, strict=True) if x > -BINDS]
        for v, x in zip(e.space.variables, self.front.designs.x[row], strict=True):
            size = v.upper - v.lower
            out += (
                [f"{v.name} at its lower end, {with_unit(v.lower, v.unit)}"] if x - v.lower <= AT_BOUND * size else []
            )
            out += (
                [f"{v.name} at its upper end, {with_unit(v.upper, v.unit)}"] if v.upper - x <= AT_BOUND * size else []
            )
        return out

    def robot(self, k: int | None = None) -> "Robot":
        """A design of the front as a description, which says where its numbers come from. Where the description's home does not
        lead to this design's assembly in the cases, it has a home of its own."""
        told = ", ".join(f"{n} {x:.6g}" for n, x in self.values(k).items())
        source = f"design {self._row(k)} of the study {self.study.name!r} by {self.study.search.method}: {told}"
        robot = robot_of_design(self.study, self.front.designs.x[self._row(k)], source)
        return robot.model_copy(update={"source": _with_source(robot.source, source)})

    def evaluate_again(self, k: int | None = None) -> dict[str, float]:
        """Measures of a design of the front, by ordinary calls of the model that is built from its description alone."""
        model = build(self.robot(k), self.study.evaluator.space.model.free, self.study.evaluator.space.model.asked)
        e = evaluator_on(self.study.evaluator, model.unlocked)
        values, violation = e._of_designs(model.unlocked.parameters[None], False)
        if violation[0] > 0:
            raise UsageError(f"design {self._row(k)}: built from its description it does not take all states")
        return dict(zip(e.names, values[0].tolist(), strict=True))

    @checked(points=whole(2))
    def slices(self, k: int | None = None, points: int = 41) -> dict[str, tuple[np.ndarray, Evaluated]]:
        """{variable: (its values (n,), designs)}: every variable through its range, the others as in a design of the front."""
        e, x = self.study.evaluator, self.front.designs.x[self._row(k)]
        out = {}
        for i, v in enumerate(e.space.variables):
            rows = np.repeat(x[None], points, axis=0)
            rows[:, i] = v.settle(np.linspace(v.lower, v.upper, points))
            out[v.name] = (rows[:, i], e.evaluate(rows))
        return out

    def sensitivities(self, k: int | None = None) -> dict[str, dict[str, float]]:
        """Total derivatives of the measures by the variables at a design of the front."""
        return self.study.gradients(self.variables(k))

    def save(self, folder: str | Path) -> Path:
        """Write the front as a table (front.csv, and front.parquet where pyarrow is installed) into a folder; of keep: all and
        sample also all designs that were kept (designs.csv, designs.parquet), with their violations, part after part. The study,
        its robot and what was found go with them (asked.json, robot.yaml, found.npz), so that the folder is enough for `load` and
        `view`."""
        target = Path(folder)
        save_found(target, self, save_asked(target, self.study, not self.partial))
        write_tables(target, "front", iter([self._columns(self.front.designs)]))
        if self.study.keep != "front":
            write_tables(target, "designs", map(self._columns, self.kept_parts()))
        return target

    @staticmethod
    @checked(folder=path)
    def load(folder: str | Path) -> "StudyResult":
        """Read what `save`, or `gough design … --out`, wrote; of a run that was ended on its way what is there."""
        return load_result(Path(folder))

    def view(self, **options: Any) -> Any:
        """Show the designs in the browser; options as in `gough.view`. Returns the viewer, which runs in the background."""
        from gough.viewer import view

        return view(self, **options)

    def _columns(self, designs: Evaluated) -> dict[str, np.ndarray]:
        columns = {n: designs.x[:, k] for k, n in enumerate(self.study.variables)}
        columns |= {n: designs.values[:, k] for k, n in enumerate(self.study.measures)}
        return columns | {"violation": designs.total_violation}

    def report(self, path: str | Path, k: int | None = None, made: str = "") -> Path:
        """Write a page: the front, parallel coordinates, slices through a design, what binds; k: which, default the best or the
        one in the middle."""
        from gough.studies.report.page import write_report

        return write_report(self, path, k, made)


def _with_source(old: Any, new: str) -> Any:
    """Where the numbers of a design come from, beside what the description said."""
    if old is None:
        return {"study": new}
    return {**old, "study": new} if isinstance(old, Mapping) else {"before": old, "study": new}
