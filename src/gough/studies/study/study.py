"""A study: designs of a robot, what is asked of them, and how they are looked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import checked, demand_one_of, flag, mapping, nothing, number, path, word
from gough.distribution import a_cluster
from gough.errors import UsageError
from gough.robot.item import nearest
from gough.robot.robot import Platform
from gough.studies._search import StudySearch
from gough.studies.study.cases import staying_words
from gough.studies.study.evaluation import Evaluator
from gough.studies.study.measures import FORCES, StateMeasure, WorkspaceMeasure

if TYPE_CHECKING:
    from gough.robot.robot import Robot
    from gough.studies.result import StudyResult


@dataclass(frozen=True, eq=False)
class Study:
    """Made by `gough.load_study` or `gough.make_study`. keep: which designs a run keeps, "all", "front" or "sample"; text,
    file: as it was written, and where; "" of one that was made of plain data."""

    name: str
    evaluator: Evaluator
    search: StudySearch
    keep: str = "front"
    title: str = ""
    text: str = ""
    file: str = ""

    @property
    def robot(self) -> "Robot":
        """The description whose numbers vary."""
        return self.evaluator.space.model.robot

    @property
    def variables(self) -> tuple[str, ...]:
        """Names."""
        return self.evaluator.space.names

    @property
    def measures(self) -> tuple[str, ...]:
        """Names."""
        return self.evaluator.names

    @property
    def remarks(self) -> list[str]:
        """What its numbers leave out."""
        e = self.evaluator
        asked = [m for m in e.measures if isinstance(m, StateMeasure)]
        judged = {o.measure for o in e.objectives}
        judged |= {c.measure for c in e.constraints if any(bound for _, bound, _ in c.bounds())}
        out = [
            f"{m.name}: numbers in {', '.join(m.units)} are compared with each other; name those of one unit ({m.text}:…)"
            for m in asked
            if len(m.units) > 1 and m.name in judged
        ]
        out += [told for name, case in e.cases.items() if (told := staying_words(name, case, set(self.variables)))]
        carried = platform_payload(self.robot)
        for name, case in e.cases.items() if carried else ():
            if case.added is not None:
                more = case.added[e.space.model.parameter_names.index(f"{e.space.model.mechanism.platform.name}.M")]
                out.append(
                    f"case {name}: its payload of {more:g} kg comes on top of the payload of {carried:g} kg that the platform of "
                    f"the description has: {carried + more:g} kg; take one of them out if they are the same"
                )
        own = [m.name for m in asked if m.text.partition(":")[0] in FORCES]
        if own and e.space.model.layout.v_elastic:
            out.append(f"{', '.join(own)}: of bodies that do not bend; gough.simulate has forces of those that do")
        return out

    def __repr__(self) -> str:
        e = self.evaluator
        wanted = [f"{'minimise' if o.sense > 0 else 'maximise'} {o.measure}" for o in e.objectives]
        told = ", ".join([*wanted, *map(str, e.constraints)]) or "nothing to be best"
        return f"<study {self.name}: {self.robot.name}, {len(self.variables)} variables; {told}; {self.search.method}>"

    def evaluate(self, variables: Mapping[str, float] | None = None) -> dict[str, float]:
        """Measures of one design, {name: value in SI units}; variables that are not named as in the description. UsageError for
        a design that is no robot."""
        x = self._point(variables)
        found = self.evaluator.evaluate(x[None], graded=True)
        if found.violation[0] > 0:
            raise UsageError(f"this design has no measures: {self.evaluator.explain(x)}")
        return dict(zip(self.measures, map(float, found.values[0]), strict=True))

    def gradients(self, variables: Mapping[str, float] | None = None) -> dict[str, dict[str, float]]:
        """Total derivatives of the measures, {measure: {variable: slope}}, at a design as for `evaluate`."""
        self.evaluator.demand_gradients()
        x = self._point(variables)
        here = self.evaluator.states_at(x)
        if here is None:
            raise UsageError(f"this design has no measures: {self.evaluator.explain(x)}")
        smooth = [m for m in self.evaluator.measures if not isinstance(m, WorkspaceMeasure)]
        found = {m.name: here.value(m)[1] for m in smooth}
        return {name: dict(zip(self.variables, map(float, g), strict=True)) for name, g in found.items()}

    @checked(variables=mapping(number()), source=word | nothing)
    def robot_at(self, variables: Mapping[str, float], source: str | None = None) -> "Robot":
        """A design as a description; variables that are not named as they are there. source: where its numbers come from."""
        self._point(variables)
        return with_numbers(self.robot, variables, source)

    def _point(self, variables: Mapping[str, float] | None) -> np.ndarray:
        """Of one design (k,)."""
        x = self.evaluator.space.start
        if variables is not None and not isinstance(variables, Mapping):
            raise UsageError(f"variables: expected {{name: number in SI units}}, not {variables!r:.60}")
        for name, value in (variables or {}).items():
            if name not in self.variables:
                raise UsageError(f"no variable {name!r}; use {nearest(str(name), list(self.variables))}")
            if isinstance(value, bool) or not isinstance(value, Real) or not np.isfinite(float(value)):
                raise UsageError(f"variables: {name} is {value!r}; give a number in SI units")
            x[self.variables.index(name)] = value
        return x

    @checked(
        folder=path | nothing, cluster=a_cluster | nothing, mixed=flag, budget=number(above=0) | nothing, device=word
    )
    def run(
        self,
        folder: Any = None,
        *,
        cluster: Any = None,
        mixed: bool = False,
        budget: float | None = None,
        device: str = "cpu",
        tell: Any = None,
    ) -> "StudyResult":
        """Look for designs. folder: where parts are kept, from which an interrupted run goes on; cluster, mixed: as for
        `gough.simulate_many`; budget: seconds after which it ends with what is done, default as the study says; device: "cuda"
        for sweeps whose designs a GPU goes through first; tell(designs, robots, feasible): called as designs come in. Ctrl-C
        returns what is done."""
        from gough.studies._running import run_study

        demand_one_of("device", device, ("cpu", "cuda"))
        return run_study(self, folder, cluster, mixed, budget, device, tell)


def platform_payload(robot: "Robot") -> float:
    """Mass (kg) of what the platform carries in the description; 0 of nothing."""
    platform = robot.platform
    body = next((b for b in robot.bodies if b.name == platform), None)
    payload = platform.body.payload if isinstance(platform, Platform) else getattr(body, "payload", None)
    return 0.0 if payload is None else float(payload.mass)


def with_numbers(robot: "Robot", numbers: Mapping[str, float], source: str | None = None) -> "Robot":
    """A description with other numbers of its variables and parameters, by name. source: where they come from."""
    own = {n: x for n, x in numbers.items() if n in robot.variables}
    others = {n: x for n, x in numbers.items() if n not in own}
    made = robot.with_variables(own) if own else robot
    return made.with_parameters(others, source) if others else made
