"""Bibliographic entries and their BibTeX (`references.yaml`)."""

from dataclasses import dataclass
from functools import cache
from importlib import resources

import gough

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

    text = (resources.files("gough_papers.bibliography") / "references.yaml").read_text(encoding="utf-8")
    return {key: _entry(key, dict(data)) for key, data in YAML(typ="safe").load(text).items()}


def _entry(key: str, data: dict) -> Reference:
    fields = {name: str(value) for name, value in data.items() if name not in _OWN}
    if key == "gough":
        note = f"Python package, version {gough.__version__}, license {fields.pop('license')}"
        fields |= {"version": gough.__version__, "note": note}
    return Reference(key, data["type"], tuple(data.get("names", ())), fields)
