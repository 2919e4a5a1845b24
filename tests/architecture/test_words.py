"""Words have one meaning: the glossary and the verbs of CONTRIBUTING hold for the whole of src."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from architecture.outlines import SRC, outlines

ROOT = Path(__file__).resolve().parents[2]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")

IRREGULAR = set(
    "begun bent bound broken built chosen done drawn driven felt found given gone grown held hidden kept known laid led left "
    "lost made met said seen sent shown sought spoken spun stuck sunk swept taken thrown told torn worn wound written".split()
)
NOT_PARTICIPLES = {"bed", "embed", "exceed", "feed", "need", "red", "seed", "shed", "speed", "unneeded"}
PUBLIC = {
    "cached",
    "checked",
    "described",
    "extended",
    "led_by",
    "limited",
    "measured_in",
    "started",
    "told",
    "traced",
    "unfolded",
    "violated",
    "written",
}
"""Names that people call, or idioms: they stay."""
LITTLE_WORDS = {
    "as",
    "at",
    "by",
    "from",
    "in",
    "of",
    "off",
    "on",
    "out",
    "to",
    "up",
    "with",
    "often",
    "nearby",
    "inwards",
}


def section(heading: str) -> str:
    """Text of a section of CONTRIBUTING."""
    return re.split(r"\n#+ ", CONTRIBUTING.split(f"# {heading}\n", 1)[1], maxsplit=1)[0]


def verbs() -> set[str]:
    listed = re.search(r"Verbs: ([^.]*)\.", section("Words"))
    assert listed, "CONTRIBUTING, Words: no line 'Verbs: …'"
    return set(listed[1].split())


def functions() -> Iterator[tuple[Path, ast.FunctionDef, bool]]:
    """Public functions and methods; whether it is a property."""
    for path, outline in outlines().items():
        classes = [node for node in outline.members if isinstance(node, ast.ClassDef)]
        for node in [*outline.members, *(inner for outer in classes for inner in outer.body)]:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                decorators = [ast.unparse(d) for d in node.decorator_list]
                yield path, node, any("property" in d or d.endswith(".setter") for d in decorators)


def is_participle(word: str) -> bool:
    return word in IRREGULAR or (word.endswith("ed") and word not in NOT_PARTICIPLES)


def place(path: Path, node: ast.AST) -> str:
    return f"{path.relative_to(SRC)}:{getattr(node, 'lineno', 0)}"


def test_class_names_are_used_once():
    places = defaultdict(list)
    for path, outline in outlines().items():
        for node in [*outline.members, *outline.inner]:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(place(path, node))
    twice = {name: where for name, where in places.items() if len(where) > 1}
    assert not twice, twice


def test_functions_without_a_result_begin_with_a_verb():
    """A function is a verb of the list, or names what it returns: so one that returns nothing is a verb."""
    known = verbs()
    wrong = [
        f"{place(path, node)} {node.name}"
        for path, node, named in functions()
        if not named
        and isinstance(node.returns, ast.Constant)
        and node.returns.value is None
        and node.name.split("_")[0] not in known
    ]
    assert not wrong, "\n".join(wrong)


def test_no_function_is_a_bare_participle():
    known = verbs()
    wrong = []
    for path, node, named in functions():
        first, *rest = node.name.split("_")
        bare = is_participle(first) and first not in known and set(rest) <= LITTLE_WORDS
        if bare and not named and node.name not in PUBLIC:
            wrong.append(f"{place(path, node)} {node.name}")
    assert not wrong, "say what is done, or what is returned:\n" + "\n".join(wrong)


def test_glossary_has_each_word_once():
    terms = re.findall(r"^- \*\*([^*]+)\*\*: .{15,}$", section("Words"), flags=re.MULTILINE)
    assert len(terms) >= 45
    assert len(set(terms)) == len(terms) and terms == sorted(terms, key=str.lower)


def test_docstrings_say_more_than_the_name():
    empty = {"a", "an", "and", "for", "in", "it", "its", "of", "the", "this", "to"}
    wrong = []
    for path, node, _ in functions():
        words = set(re.findall(r"[^\W_]+", (ast.get_docstring(node) or "enough said").lower()))
        if not words - empty - set(node.name.lower().split("_")):
            wrong.append(f"{place(path, node)} {node.name}")
    assert not wrong, "\n".join(wrong)
