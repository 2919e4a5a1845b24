"""The page of a study: what was asked, what was found, and what holds the chosen design."""

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import GoughError, UsageError
from gough.files import png_of, write_file
from gough.page import Grid, circumstances, picture, table, text, whole_page
from gough.studies.report._figures import (
    draw_front,
    draw_parallel,
    draw_sensitivities,
    draw_slices,
    label,
    objective_spread,
)
from gough.studies.study.evaluation import with_unit
from gough.studies.study.variables import StudyVariable

if TYPE_CHECKING:
    from gough.studies.result import StudyResult

DPI = 110
MANY = 50
"""Rows of the table of the front."""
AGREES = 1e-6
FRONT = "Objectives of designs that no other beats; the chosen one is circled."
LONE = "How many of the feasible designs that were kept have which objective; the line is the chosen one."
PARALLEL = (
    "Variables (left) and measures of the front, from its least to its largest; colours by the first objective, the chosen "
    "design thick."
)
SLICES = "One variable after the other through its range, all others as in this design; dashed: bounds; gaps: no robot."


def write_report(found: "StudyResult", path: str | Path, k: int | None = None, made: str = "") -> Path:
    """Write the page; k: which design of the front is shown; made: the command, for its head."""
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"report: {path}: it is a page; give a name that ends with .html")
    return write_file(path, report_page(found, k, made))


def middle_design(found: "StudyResult") -> int:
    """The design of the front that is nearest to the best of every objective, each over its range there."""
    F = found.front.objectives
    size = np.ptp(F, axis=0)
    return int(np.linalg.norm((F - F.min(axis=0)) / np.where(size > 0, size, 1.0), axis=1).argmin())


def report_page(found: "StudyResult", k: int | None = None, made: str = "") -> str:
    """The page as text."""
    study, e = found.study, found.study.evaluator
    counted = f"{found.count_words}, {found.robots} take all states, {found.feasible} are feasible"
    head = f"{counted}, {len(found)} on the front; {found.seconds:.3g} s."
    body = [
        f"<h1>{escape(study.title or study.name)}</h1>",
        f"<p class=head>{escape(circumstances())}{'; ' + escape(made) if made else ''}</p>",
        f"<p class=lead>{escape(head)}</p>",
        *(["<p class=bad>Interrupted: only what was done is here.</p>"] if found.partial else []),
        *([f"<p class=bad>{text(f'No gradients: {found.no_gradients}')}</p>"] if found.no_gradients else []),
        table(_asked(found)),
        *(f"<p>{text(remark)}</p>" for remark in study.remarks),
    ]
    if not len(found.front):
        told = (
            "No design is feasible."
            if e.objectives
            else "The study names no objective: what was kept lies in its parts."
        )
        return whole_page(study.name, [*body, f"<p class=bad>{told}</p>"])
    row = middle_design(found) if k is None else k
    body += [
        "<h2>The front</h2>",
        *_compared(found, row),
        f"<h2>Design {row}</h2>",
        table(_design(found, row)),
        f"<p>What holds it: {text('; '.join(found.binding(row)) or 'nothing: it lies inside of all bounds')}.</p>",
        f"<p>{text(_again(found, row))}</p>",
        _drawn(draw_slices(found, row), SLICES),
        *_slopes(found, row),
        table(_front(found)),
    ]
    return whole_page(f"gough design {study.name}", body)


def _compared(found: "StudyResult", row: int) -> list[str]:
    """The front as figures; a front of one design, and objectives that are all one number, have none."""
    out, one = [], len(found.study.evaluator.objectives) == 1
    if not one or np.ptp(objective_spread(found)) > 0:
        caption = LONE if one else FRONT
        out.append(_drawn(draw_front(found, row), caption))
    if len(found) > 1:
        out.append(_drawn(draw_parallel(found, row), PARALLEL))
    return out or ["<p>One design: nothing to compare it with.</p>"]


def _drawn(figure: Any, caption: str) -> str:
    return picture(png_of(figure, DPI), DPI, caption)


def _asked(found: "StudyResult") -> Grid:
    e = found.study.evaluator
    rows = [
        (
            "variable",
            v.name,
            f"{with_unit(v.lower, v.unit)} … {with_unit(v.upper, v.unit)}{_steps(v)}",
        )
        for v in e.space.variables
    ]
    rows += [("minimise" if o.sense > 0 else "maximise", o.measure, "") for o in e.objectives]
    sides = [c.measure for c in e.constraints for _ in c.bounds()]
    rows += [("constraint", n, said.removeprefix(f"{n} ")) for n, said in zip(sides, e.constraint_names, strict=True)]
    if e.tolerances is not None:
        rows.append(("tolerances", e.tolerances.words, "and the design itself"))
    return Grid(("what", "name", "range"), tuple(rows), title="What was asked")


def _steps(v: StudyVariable) -> str:
    return f", steps of {with_unit(v.step, v.unit)}" if v.step else ""


def _design(found: "StudyResult", row: int) -> Grid:
    e = found.study.evaluator
    start = e.space.start
    was = e.evaluate(start[None])
    rows = [
        (v.name, f"{x:.6g}", f"{s:.6g}", v.unit)
        for v, x, s in zip(e.space.variables, found.front.designs.x[row], start, strict=True)
    ]
    rows += [
        (m.name, f"{x:.6g}", "–" if np.isnan(s) else f"{s:.6g}", m.unit)
        for m, x, s in zip(e.measures, found.front.designs.values[row], was.values[0], strict=True)
    ]
    return Grid(("number", "design", "description", "unit"), tuple(rows), ("design", "description"))


def _again(found: "StudyResult", row: int) -> str:
    """What the model built from the design's own description says."""
    try:
        again = found.evaluate_again(row)
    except GoughError as problem:
        return f"Built from its description the design could not be evaluated again: {problem}"
    if found.study.evaluator.tolerances is not None:
        return "Measures above are those under tolerances; the design itself: " + ", ".join(
            f"{n} {x:.6g}" for n, x in again.items()
        )
    off = max(abs(again[n] - x) / max(abs(x), 1e-12) for n, x in found.values(row).items())
    verdict = "agrees" if off < AGREES else "DOES NOT agree"
    return f"The robot built anew from this design's description {verdict}: measures differ by {off:.1e} at most."


def _slopes(found: "StudyResult", row: int) -> list[str]:
    try:
        slopes = found.sensitivities(row)
    except GoughError as problem:
        return [f"<p>No sensitivities: {text(str(problem).removeprefix('gradients: '))}.</p>"]
    figure = draw_sensitivities(found, slopes, row)
    return [
        _drawn(
            figure,
            "Exact derivatives: by how many per cent a measure changes where a variable moves by a hundredth "
            "of its range.",
        )
    ]


def _front(found: "StudyResult") -> Grid:
    order = np.argsort(found.front.objectives[:, 0], kind="stable")
    order = order[np.unique(np.linspace(0, len(order) - 1, min(MANY, len(order))).astype(int))]
    own = (*found.study.variables, *found.study.measures)
    names = ("design", *(label(found, n) for n in own))
    d = found.front.designs
    rows = [(str(k), *(f"{x:.5g}" for x in (*d.x[k], *d.values[k]))) for k in order.tolist()]
    title = "The front"
    if len(order) < len(found):
        by = found.study.evaluator.objectives[0].measure
        title += f": {len(order)} of {len(found)} designs, evenly by {by}, its ends among them; all are in front.csv"
    return Grid(names, tuple(rows), names, title)
