"""The reproduction as plain data: what `--json` prints and reproduction.json holds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gough_papers.comparison import Comparison
    from gough_papers.reproduction import Reproduction


def reproduction_data(made: "Sequence[Reproduction]", index: str | None) -> dict[str, Any]:
    """papers[], and sums over them."""
    comparisons = [c for r in made for c in r.comparisons]
    return {
        "papers": [_paper(r) for r in made],
        "comparisons": len(comparisons),
        "within": sum(c.within for c in comparisons),
        "seconds": sum(r.seconds for r in made),
        "interrupted": any(r.interrupted for r in made),
        "index": index,
    }


def _paper(r: "Reproduction") -> dict[str, Any]:
    p = r.paper
    return {
        "name": p.name,
        "citation": p.short,
        "robots": list(p.robots),
        "report": None if r.report is None else str(r.report),
        "seconds": r.seconds,
        "interrupted": r.interrupted,
        "comparisons": [_comparison(c) | {"section": s.title} for s in r.sections for c in s.comparisons],
        "figures": [{"label": x.label, "caption": x.caption, "file": str(x.path)} for x in r.pictures],
        "artefacts": [vars(a) for a in p.artefacts],
        "misprints": [
            {
                "where": m.where,
                "printed": m.printed,
                "right": m.right,
                "sizes": m.sizes,
                "kind": m.kind,
                "origin": p.transcription,
            }
            for m in p.misprints
        ],
        "data": {k: v for s in r.sections for k, v in s.data.items()},
    }


def _comparison(c: "Comparison") -> dict[str, Any]:
    """The keys that are documented, then the others. Where `rule` is "apart", `tolerance` is the smallest and the largest."""
    bound = {"at most": None, "at least": None, "apart": list(c.allowed), "equals": c.allowed[1]}[c.rule]
    return {
        "quantity": c.quantity,
        "paper": list(c.known),
        "ours": list(c.ours),
        "tolerance": bound,
        "within": c.within,
        "note": c.note,
        "unit": c.unit,
        "rule": c.rule,
        "relative": c.relative,
        "difference": c.difference,
        "verdict": c.verdict,
        "origin": c.origin,
    }
