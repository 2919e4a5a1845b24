"""What results of a robot rest on, as BibTeX: gough, what its `source:` names, and the methods that its description brings in.

The works are in `references.yaml`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from pydantic import BaseModel

import gough
from gough import Robot
from gough.robot.flexible import Flexible
from gough.text import one_line
from gough_papers.citations.index import CITATION

_OWN = ("type", "names")
_ACCENTS = {"é": r"{\'e}", "ó": r"{\'o}", "á": r"{\'a}", "ö": r"{\"o}", "ü": r"{\"u}", "&": r"\&"}


@dataclass(frozen=True)
class Reference:
    """One work. `names`: what descriptions call it; `fields`: BibTeX's, as known."""

    key: str
    type: str
    names: tuple[str, ...]
    fields: dict[str, str]

    def bibtex(self) -> str:
        """The entry, accents written for LaTeX."""
        kind = {"software": "misc"}.get(self.type, self.type)
        width = max(len(name) for name in self.fields)
        lines = [f"  {name:{width}} = {{{_latex(value)}}}," for name, value in self.fields.items()]
        return "\n".join([f"@{kind}{{{self.key},", *lines, "}"])


def _latex(text: str) -> str:
    return "".join(_ACCENTS.get(letter, letter) for letter in text)


@cache
def references() -> dict[str, Reference]:
    """{key: entry} of all works."""
    from ruamel.yaml import YAML

    text = (resources.files("gough_papers") / "references.yaml").read_text(encoding="utf-8")
    return {key: _entry(key, dict(data)) for key, data in YAML(typ="safe").load(text).items()}


def _entry(key: str, data: dict) -> Reference:
    fields = {name: str(value) for name, value in data.items() if name not in _OWN}
    if key == "gough":
        note = f"Python package, version {gough.__version__}, license {fields.pop('license')}"
        fields |= {"version": gough.__version__, "note": note}
    return Reference(key, data["type"], tuple(data.get("names", ())), fields)


INTEGRATORS = {
    "dp5": "dormand1980",
    "sdirk2": "alexander1977",
    "generalised_alpha": "chung1993",
    "cvode": "hindmarsh2005",
    "cvode_bdf": "hindmarsh2005",
}
"""{method of `gough.simulate`: the work it is from}, as far as one is known."""


@dataclass(frozen=True)
class CitedWork:
    """A work and what a result takes from it."""

    reference: Reference
    why: str


@dataclass(frozen=True)
class CitedWorks:
    """Works that a robot's results rest on, and what is not known."""

    robot: str
    reasons: tuple[CitedWork, ...]
    unknown: tuple[str, ...]


def basis(robot: Robot, method: str | None = None) -> CitedWorks:
    """What results of a robot rest on; `method`: of time integration, where runs are among them."""
    known = references()
    why: dict[str, list[str]] = {"gough": ["equations, programs and numbers"]}
    for key, reason in [*_named_works(robot), *_methods(robot)]:
        why.setdefault(key, []).append(reason)
    unknown = list(_unknown(robot))
    if method is not None:
        from gough.simulation.integration.methods import method_named

        name = method_named(method).name
        if name in INTEGRATORS:
            why.setdefault(INTEGRATORS[name], []).append(f"time integration, method {name!r}")
        else:
            unknown.append(f"a reference for the method {name!r} of time integration")
    reasons = tuple(CitedWork(known[key], "; ".join(dict.fromkeys(texts))) for key, texts in why.items())
    return CitedWorks(robot.name, reasons, tuple(unknown))


def _named_works(robot: Robot) -> Iterator[tuple[str, str]]:
    """Works that a description names, in the head or at a number."""
    head = _texts(robot.source)
    for key, work in references().items():
        for name in work.names:
            if any(name in text for text in head):
                yield key, _first(head, name)
            elif any(m["paper"] == name for text in _inner_sources(robot) for m in CITATION.finditer(text)):
                yield key, "numbers of the description"


def _first(texts: list[str], name: str) -> str:
    """What the head of a description says of a work: the longest text that names it."""
    own = max((text for text in texts if name in text), key=len)
    return f"named by the robot's source: {own}" if own != name else "named by the robot's source"


def _texts(source: Any) -> list[str]:
    if isinstance(source, dict):
        return [text for value in source.values() for text in _texts(value)]
    if isinstance(source, list | tuple):
        return [text for value in source for text in _texts(value)]
    return [] if source is None else [one_line(str(source))]


def _inner_sources(robot: Robot) -> Iterator[str]:
    """The `source:` of every part of a description, where it is a sentence."""
    return (s for part in _parts(robot) if isinstance(s := getattr(part, "source", None), str))


def _methods(robot: Robot) -> Iterator[tuple[str, str]]:
    """Methods that the description brings into play."""

    parts = list(_parts(robot))
    yield "briot2014", "formulation: tree of bodies, closures, virtual power"
    yield "gautier1990", "inertia regrouped towards the base"
    if any(getattr(part, "mdh", None) is not None for part in parts):
        yield "khalil1986", "modified Denavit–Hartenberg parameters of the joints"
    flexible = [part for part in parts if isinstance(part, Flexible)]
    if not flexible:
        return
    yield "walker1982", "mass matrices by composite bodies"
    yield "briot2014", "generalised Newton–Euler model of flexible bodies"
    platform = getattr(robot.platform, "flexible", None)
    if platform is not None:
        yield "long2014", "flexible platform in a closed robot"
    for body in flexible:
        yield from _of_flexible(body)


def _of_flexible(body: Flexible) -> Iterator[tuple[str, str]]:
    kind = getattr(body.modes, "kind", None)
    if kind == "craig_bampton":
        yield "craig1968", "reduction of a flexible body"
    if kind == "guyan":
        yield "guyan1965", "reduction of a flexible body"
    if body.plate is not None:
        yield "argyris1968", "plate elements"
        yield "gustafsson2020", "assembly of finite elements"
    if body.solid is not None:
        yield "gustafsson2020", "assembly of finite elements"


def _parts(item: Any) -> Iterator[Any]:
    if isinstance(item, BaseModel):
        yield item
        for name in type(item).model_fields:
            yield from _parts(getattr(item, name))
    elif isinstance(item, dict):
        for value in item.values():
            yield from _parts(value)
    elif isinstance(item, list | tuple):
        for value in item:
            yield from _parts(value)


def _unknown(robot: Robot) -> Iterator[str]:
    """What the head of a description says of its origin that no known work stands for."""
    source = robot.source
    if source is None:
        yield "where the robot's data come from: its description has no `source:`"
        return
    named = [name for work in references().values() for name in work.names]
    entries = source.items() if isinstance(source, dict) else [("source", source)]
    for key, value in entries:
        texts = _texts(value)
        if key == "assumed":
            yield f"a source of what is assumed: {'; '.join(texts)}"
        elif key in ("paper", "benchmark", "design", "source", "reference", "references"):
            for text in texts:
                if not any(name in text for name in named):
                    yield f"a reference for {key}: {text}"
