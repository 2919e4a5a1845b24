"""Tolerances of a study's file: deviations by name, and the numbers of an identification."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import GoughError, UsageError
from gough.identification.identification import Identification
from gough.identification.saved import SavedIdentification, load_identification, saved_numbers
from gough.robot.item import nearest
from gough.simulation.ensembles.physical import expand_names
from gough.structure.changing.names import names_meant
from gough.studies.study._items import StudyItem
from gough.studies.study._text import StudyText
from gough.studies.study._tolerances import Tolerances, corner_deviations, draw_deviations, draw_robots

if TYPE_CHECKING:
    from gough.model import Model
    from gough.studies.study.variables import DesignSpace

PLACE = ("tolerances", "deviations")
ESTIMATE = ("tolerances", "identification")
CHOSEN = ("tolerances", "parameters")
SHOWN, MOST_CORNERED = 6, 10


class ToleranceText(StudyText):
    """Reads tolerances."""

    saved: SavedIdentification | None = None

    def read_saved(self, item: StudyItem) -> None:
        """Find the identification that a study names, if it names one."""
        given = None if item.tolerances is None else item.tolerances.identification
        if given is None or isinstance(given, SavedIdentification):
            self.saved = given
        elif isinstance(given, Identification):
            self.saved = saved_numbers(given)
        elif isinstance(given, str):
            self.saved = self.attempt(ESTIMATE, lambda: load_identification(self.folder / given))
        else:
            self.complain(ESTIMATE, "not an identification", "a file (.npz) that Identification.save wrote")

    def moved_parameters(self, item: StudyItem, model: "Model") -> list[str]:
        """Parameters that tolerances move, and that a model must therefore have as inputs."""
        if item.tolerances is None:
            return []
        known = set(model.variables.names)
        out = [x for n in item.tolerances.deviations if n not in known for x in names_meant(n, model.parameter_names)]
        if self.saved is not None:
            chosen = self._chosen(item, model, self.saved)
            moved = [n for n, x, s in zip(*self._numbers(chosen, self.saved), strict=True) if x or s]
            out += [x for n in moved for x in names_meant(n, model.parameter_names)]
        return out

    def read_tolerances(self, item: StudyItem, space: "DesignSpace") -> Tolerances | None:
        """Tolerances, None where there are none, or with complaints."""
        own, model = item.tolerances, space.model
        if own is None:
            return None
        sizes = self._sizes(own.deviations, space)
        for name in own.of:
            if name not in (self.document.get("measures") or {}):
                self.complain(("tolerances", "of"), f"no measure {name!r}", nearest(name, list(item.measures)), name)
        estimates = {} if self.saved is None else self._estimates(item, space, self.saved, sizes)
        all_, moved = dict.fromkeys(space.names, 0.0) | sizes, sum(x > 0 for x in sizes.values())
        if own.draws == "corners" and moved > MOST_CORNERED:
            told = f"the corners of {moved} deviations are 2^{moved} robots"
            self.complain(
                (*PLACE[:1], "draws"), told, f"at most {MOST_CORNERED} deviations, or a number of draws", "corners"
            )
            return None
        if own.draws == "corners":
            rng = corner_deviations(all_)
        else:
            rng = draw_deviations(all_, int(own.draws), own.seed, own.distribution)
        varied = np.array([rng.pop(n) for n in space.names]).T
        known = set(model.variables.names)
        variables = {n: d for n, d in rng.items() if n in known}
        parameters = {n: d for n, d in rng.items() if n not in known}
        return Tolerances(varied, own.quantile, frozenset(own.of), variables, parameters, estimates)

    def _sizes(self, deviations: Mapping[str, Any], space: "DesignSpace") -> dict[str, float]:
        """{variable or parameter: width}, names with stars as all they stand for."""
        model, out = space.model, dict[str, float]()
        known = [*model.variables.names, *model.parameter_names]
        for name, value in deviations.items():
            place = (*PLACE, name)
            meant = [name] if name in known else names_meant(name, known)
            if not meant:
                told = f"neither a variable of {model.robot.name} nor a parameter"
                self.complain(place, told, _meant_pattern(name, known) or nearest(name, known), name)
                continue
            if not self._is_one_kind(place, name, meant, model):
                continue
            found = self.value(place, meant[0], value, model)
            if found is None:
                continue
            if found < 0:
                self.complain(place, "negative", "a width above 0")
            twice = [n for n in meant if n in out]
            if twice:
                self.complain(place, f"{twice[0]} is named twice", "each number once", name)
            idle = [n for n in meant if n in model.variables.names and not model.moved_parameters(n)]
            if idle:
                what = "it" if idle == [name] else ", ".join(idle[:SHOWN])
                self.complain(
                    place, f"nothing but limits or home follows {what}: no equation changes", "another number"
                )
            out |= dict.fromkeys(meant, found)
        return out

    def _is_one_kind(self, place: tuple[Any, ...], name: str, meant: Sequence[str], model: "Model") -> bool:
        """Whether all numbers that a name with stars stands for have one unit; a complaint where they have not: one width
        would be mm of some and kg or rad of others."""
        kinds: dict[str, list[str]] = {}
        for n in meant:
            kinds.setdefault(self.unit(n, model).replace(" ", "."), []).append(n)
        if len(kinds) > 1:
            told = "; ".join(f"{unit or '1'} ({own[0]}{', …' * (len(own) > 1)})" for unit, own in kinds.items())
            self.complain(place, f"numbers of several units: {told}", "a name for each kind, as '*.hip.[xyz]'", name)
        return len(kinds) < 2

    def _chosen(self, item: StudyItem, model: "Model", saved: SavedIdentification) -> list[int]:
        """Which of the saved numbers are drawn; complaints where a name means none."""
        assert item.tolerances is not None
        if not item.tolerances.parameters:
            return list(range(len(saved.names)))
        members = [{n, *names_meant(n, model.parameter_names)} for n in saved.names]
        found: set[int] = set()
        for name in item.tolerances.parameters:
            own = {k for k, m in enumerate(members) if name in m or any(fnmatchcase(x, name) for x in m)}
            if not own:
                self._complain_once(CHOSEN, f"{name!r} was not identified", nearest(name, list(saved.names)), name)
            found |= own
        return sorted(found)

    @staticmethod
    def _numbers(chosen: Sequence[int], saved: SavedIdentification) -> tuple[list[str], list[float], list[float]]:
        """(names, values, variances) of some of the saved numbers."""
        return (
            [saved.names[k] for k in chosen],
            [float(saved.values[k]) for k in chosen],
            [float(saved.covariance[k, k]) for k in chosen],
        )

    def _estimates(
        self, item: StudyItem, space: "DesignSpace", saved: SavedIdentification, sizes: Mapping[str, float]
    ) -> dict[str, np.ndarray]:
        """{parameter: numbers (draws + 1,)}; nothing with complaints."""
        assert item.tolerances is not None
        own, model, before = item.tolerances, space.model, len(self.problems)
        chosen = self._chosen(item, model, saved)
        names, values, _ = self._numbers(chosen, saved)
        meant: list[str] = []
        for name in names:
            try:
                found, preloads = expand_names(model, [name])
            except UsageError:
                nearby = nearest(name, list(model.parameter_names))
                self.complain(ESTIMATE, f"{name} is no parameter of {model.robot.name}", nearby, name)
                continue
            meant += [preloads.get(x, x) for x in found[0]]
        for name in [n for n in meant if n not in model.parameter_names]:
            self.complain(
                ESTIMATE,
                f"{model.robot.name} has no {name}, which an offset becomes",
                f"parameters: without it, or robot.with_parameters({{'{name.removesuffix('.spring.preload')}.offset': 0.0}})",
            )
        self._demand_apart(space, meant, sizes)
        if len(self.problems) > before or not chosen:
            return {}
        try:
            C = saved.covariance[np.ix_(chosen, chosen)]
            return draw_robots(model, dict(zip(names, values, strict=True)), C, int(own.draws), own.seed)
        except GoughError as problem:
            self.complain(ESTIMATE, str(problem))
            return {}

    def _demand_apart(self, space: "DesignSpace", meant: Sequence[str], sizes: Mapping[str, float]) -> None:
        """Complain of numbers that are identified, and varied or deviating besides."""
        model, drawn = space.model, set(meant)
        for name in space.names:
            moved = [name] if name in drawn else []
            if name in model.variables.names:
                moved = [n for n in model.moved_parameters(name) if n in drawn]
            if moved:
                few = ", ".join(moved[:SHOWN]) + (f" and {len(moved) - SHOWN} more" if len(moved) > SHOWN else "")
                what = f"{few}: the study varies {name}, and an identification is of one robot alone"
                self.complain(ESTIMATE, what, "parameters: of those that no variable of the study moves")
        for name in [n for n in sizes if n in drawn]:
            self.complain((*PLACE, name), f"{name} is drawn from the identification, too", "one of both")

    def _complain_once(self, place: tuple[Any, ...], message: str, expected: str, value: Any) -> None:
        before = len(self.problems)
        self.complain(place, message, expected, value)
        if self.problems[-1] in self.problems[:before]:
            self.problems.pop()


def _meant_pattern(name: str, known: Sequence[str]) -> str:
    """What may be meant by a name with stars that stands for nothing: its words, near ones of known names in their place."""
    if not set("*?[") & set(name):
        return ""
    words = sorted({word for n in known for word in n.split(".")})
    parts = [
        part if set("*?[") & set(part) or part in words else next(iter(get_close_matches(part, words, 1)), part)
        for part in name.split(".")
    ]
    made = ".".join(parts)
    return f"did you mean {made!r}?" if any(fnmatchcase(n, made) for n in known) else ""
