"""Templates into legs: the template, then the leg's overrides of joints, bodies, cut, loops and couplings on top."""

from typing import Any

from gough.robot._leg import body_name
from gough.robot.errors import ABSENT, Problem
from gough.robot.item import nearest, unknown_key
from gough.robot.reader import Map, Mark, Seq

LEG_KEYS = ["name", "like", "base", "on_platform", "chain", "cut", "loops", "couplings", "joints", "bodies", "source"]
TEMPLATE_KEYS = ["chain", "cut", "loops", "couplings", "source"]


class Merger:
    """Builds the legs of a document; collects what is wrong on the way."""

    def __init__(self, document: Map, file: str):
        self.file = file
        self.problems: list[Problem] = []
        self.used: set[str] = set()
        templates = document.get("templates")
        self.templates: Map = templates if isinstance(templates, Map) else _empty(document)
        if templates is not None and not isinstance(templates, Map):
            self.complain(document.marks["templates"], templates, "not a mapping", "templates by name")
        for name, template in self.templates.items():
            self.check_template(name, template)

    def complain(self, mark: Mark, value: Any, message: str, expected: str) -> None:
        self.problems.append(Problem(self.file, mark.line, mark.path, value, message, expected))

    def check_keys(self, mapping: Map, known: list[str]) -> None:
        for key, value in mapping.items():
            if key not in known:
                fault = unknown_key(key, value, known)
                self.complain(mapping.marks[key], value, fault.message, fault.expected)

    def check_template(self, name: str, template: Any) -> None:
        if isinstance(template, Map):
            self.check_keys(template, TEMPLATE_KEYS)
        else:
            expected = f"templates by name, each with chain and cut: templates: {{NAME: {{{name}: …}}}}"
            known = name in TEMPLATE_KEYS
            self.complain(self.templates.marks[name], template, "not a mapping", expected if known else "chain and cut")

    def legs(self, document: Map) -> Seq | None:
        """The merged legs, in the form that the Leg model reads."""
        legs = document.get("legs")
        if not isinstance(legs, Seq):
            return legs
        result = Seq()
        result.mark, result.marks = legs.mark, legs.marks
        for index, leg in enumerate(legs):
            result.append(self.leg(leg, index) if isinstance(leg, Map) else leg)
        return result

    def leg(self, leg: Map, index: int) -> Map:
        """One leg with its template and its overrides."""
        self.check_keys(leg, LEG_KEYS)
        merged = _take(leg, ["name", "base", "on_platform", "source"])
        if "name" not in merged:
            merged["name"] = f"leg{index}"
            merged.marks["name"] = leg.mark
        if "like" in leg:
            self.fill_from_template(leg, merged)
        elif "chain" in leg:
            _put(merged, "chain", leg["chain"], leg.marks["chain"])
        if isinstance(leg.get("cut"), Map) and isinstance(merged.get("cut"), Map):
            merged["cut"] = deep_merge(merged["cut"], leg["cut"])
        elif "cut" in leg:
            _put(merged, "cut", leg["cut"], leg.marks["cut"])
        for key in ("loops", "couplings"):
            if isinstance(leg.get(key), Map):
                self.override(leg, merged, key, lambda part: part.get("name"))
            elif key in leg and "unmerged" not in merged:
                _add(merged, key, leg[key], leg.marks[key])
        self.override(leg, merged, "joints", lambda joint: joint.get("name"))
        self.override(leg, merged, "bodies", body_name)
        return merged

    def fill_from_template(self, leg: Map, merged: Map) -> None:
        like, mark = leg["like"], leg.marks["like"]
        template = self.templates.get(like) if isinstance(like, str) else None
        if "chain" in leg:
            self.complain(leg.marks["chain"], ABSENT, "a chain beside like", "either like or chain")
        if template is None:
            names = list(self.templates)
            expected = nearest(str(like), names) if names else "a name under templates"
            self.complain(mark, like, f"no template {like!r}", expected)
        if not isinstance(template, Map):
            merged["unmerged"] = True
            merged.marks["unmerged"] = mark
            return
        self.used.add(like)
        for key in ("chain", "cut", "loops", "couplings"):
            if key in template:
                _put(merged, key, template[key], template.marks[key])
        if "source" in template:
            both = f"{merged['source']}; {template['source']}" if "source" in merged else template["source"]
            _put(merged, "source", both, merged.marks.get("source", template.marks["source"]))

    def override(self, leg: Map, merged: Map, key: str, name_of: Any) -> None:
        """Merge leg[key], a mapping from names to partial joints, bodies, loops or couplings, into the chain or their list."""
        wanted = leg.get(key)
        if wanted is None or "unmerged" in merged:
            return
        if not isinstance(wanted, Map):
            self.complain(leg.marks[key], wanted, "not a mapping", f"overrides of {key} by name")
            return
        into = key if key in ("loops", "couplings") else "chain"
        chain = merged.get(into)
        if not isinstance(chain, Seq):
            if into == key:
                self.complain(leg.marks[key], ABSENT, f"overrides of {key}, but the leg has none", f"a list of {key}")
            return
        copy = Seq(chain)
        copy.mark, copy.marks = chain.mark, chain.marks
        names = [name_of(joint) if isinstance(joint, Map) else None for joint in chain]
        known = [str(entry) for entry in names]
        first = {entry: k for k, entry in reversed(list(enumerate(names))) if isinstance(entry, str)}
        for name, change in wanted.items():
            if name not in first:
                what = {"joints": "joint", "bodies": "body", "loops": "loop", "couplings": "coupling"}[key]
                message = f"override of a {what} {name!r} that is not in the leg"
                self.complain(wanted.marks[name], ABSENT, message, nearest(name, known))
                continue
            if not isinstance(change, Map):
                self.complain(wanted.marks[name], change, "not a mapping", "the keys to change")
                continue
            index = first[name]
            part = change if key != "bodies" else _wrap(change, "body", wanted.marks[name])
            copy[index] = deep_merge(copy[index], part)
        merged[into] = copy


def deep_merge(below: Map, above: Map) -> Map:
    """Entries of above on top of below; mappings merge, everything else is replaced; marks follow their entry."""
    result = Map(below)
    result.mark, result.marks = below.mark, dict(below.marks)
    for key, value in above.items():
        old = result.get(key)
        merged = deep_merge(old, value) if isinstance(old, Map) and isinstance(value, Map) else value
        _put(result, key, merged, above.marks[key])
    return result


def _put(target: Map, key: str, value: Any, mark: Mark) -> None:
    target[key] = value
    target.marks[key] = mark


def _add(target: Map, key: str, value: Any, mark: Mark) -> None:
    """Put a list behind the one that is there; anything else takes its place."""
    old = target.get(key)
    if not isinstance(old, Seq) or not isinstance(value, Seq):
        _put(target, key, value, mark)
        return
    both = Seq([*old, *value])
    both.mark, both.marks = old.mark, [*old.marks, *value.marks]
    target[key] = both


def _take(source: Map, keys: list[str]) -> Map:
    result = Map()
    result.mark, result.marks = source.mark, {}
    for key in keys:
        if key in source:
            _put(result, key, source[key], source.marks[key])
    return result


def _wrap(value: Map, key: str, mark: Mark) -> Map:
    result = Map()
    result.mark, result.marks = mark, {}
    _put(result, key, value, mark)
    return result


def _empty(document: Map) -> Map:
    result = Map()
    result.mark, result.marks = document.mark, {}
    return result
