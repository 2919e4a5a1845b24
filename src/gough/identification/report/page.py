"""The page of an identification: what was found, how far it can be trusted, and what was said of it."""

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import UsageError
from gough.files import png_of, write_file
from gough.identification.identification import plain_unit, write_number
from gough.identification.report._figures import (
    draw_colour,
    draw_correlation,
    draw_forces,
    draw_parameters,
    residuals_of,
)
from gough.page import Grid, circumstances, picture, table, text, whole_page

if TYPE_CHECKING:
    from gough.identification.identification import Identification

DPI = 110
BASE = (
    "Combinations that motions tell. described: what the description (CAD) gives. z: how many deviations lie between."
)
FITS = "Of the equations that were solved: filtered, and thinned out to what is independent."
MOST_RUNS = 4
"""Runs with figures of their own."""
MANY = 400
"""Rows of a table."""


def write_report(found: "Identification", path: str | Path, made: str = "") -> Path:
    """Write the page; made: the command or day, for its head. Returns the path."""
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"report: {path}: it is a page; give a name that ends with .html")
    return write_file(path, report_page(found, made))


def report_page(found: "Identification", made: str = "") -> str:
    """The page as text."""
    e = found.estimate
    head = (
        f"{found.base.rank} base parameters by {found.method_words} from {e.residuals.count} equations a row of "
        f"{len(found.samples.runs)} run{'s' * (len(found.samples.runs) > 1)}; condition of the data {e.condition:.3g}."
    )
    body = [
        f"<h1>{escape(found.model.robot.name)}, identified</h1>",
        f"<p class=head>{escape(circumstances())}{'; ' + escape(made) if made else ''}</p>",
        f"<p class=lead>{escape(head)}</p>",
        *(f"<p class=bad>{text(w)}</p>" for w in found.warnings),
        "<h2>How well forces are predicted</h2>",
        f"<p>{FITS}</p>",
        table(_fits(found)),
        *_pictures(found),
        "<h2>Base parameters</h2>",
        f"<p>{BASE}</p>",
        table(_base(found)),
        _drawn(draw_parameters(found), "Identified over described, with 95 % intervals."),
        _drawn(draw_correlation(found), "Correlations of the estimates: pairs near ±1 are told together only."),
        "<h2>Numbers of the robot</h2>",
        f"<p>{text(_told(found))}</p>",
        table(_numbers(found)),
    ]
    if found.samples.notes:
        notes = "".join(f"<li>{text(n)}</li>" for n in found.samples.notes)
        body += ["<h2>What was done to the data</h2>", f"<ul>{notes}</ul>"]
    return whole_page(f"gough identify {found.model.robot.name}", body)


def _drawn(figure: Any, caption: str) -> str:
    return picture(png_of(figure, DPI), DPI, caption)


def _pictures(found: "Identification") -> list[str]:
    """Forces, spectra and whiteness of validation runs, then of training runs."""
    units, out = _units(found), []
    given = [("training", found.samples)]
    if found.validation is not None:
        given.insert(0, ("validation", found.validation))
    for kind, samples in given:
        for residual in residuals_of(found, samples)[:MOST_RUNS]:
            share = float(np.sqrt((residual.missing**2).sum() / max(1e-300, float((residual.measured**2).sum()))))
            out.append(
                _drawn(
                    draw_forces(residual, found.rows.names, units),
                    f"{kind.capitalize()}, run {residual.name}: forces measured and predicted; {share:.2%} is missing "
                    "at the full rate.",
                )
            )
            out.append(
                _drawn(
                    draw_colour(residual, found.rows.names, units, found.thinning),
                    f"{kind.capitalize()}, run {residual.name}: spectrum of the differences, and their autocorrelation; inside "
                    "of the grey band they are white.",
                )
            )
    return out


def _units(found: "Identification") -> tuple[str, ...]:
    """Of the forces of all rows."""
    layout = found.model.layout
    if found.rows.at_drives:
        return tuple(layout.drive_units)
    along = {"m/s": "N", "rad/s": "N m"}
    return tuple(along.get(unit, "N m") for unit in layout.v_units[: len(found.rows.names)])


def _fits(found: "Identification") -> Grid:
    rows = []
    for k, (name, unit) in enumerate(zip(found.rows.names, _units(found), strict=True)):
        rows.append((name, unit, *(cell for f in found.fits for cell in (f"{f.rms[k]:.4g}", f"{f.share[k]:.3%}"))))
    rows.append(("all", "", *(cell for f in found.fits for cell in ("", f"{f.error:.3%}"))))
    head = tuple(cell for f in found.fits for cell in (f"{f.name}: rms missing", "of the force"))
    return Grid(("row", "unit", *head), tuple(rows), head)


def _share(deviation: float, value: float) -> str:
    """σ/value, as far as it says something."""
    part = abs(deviation / value) if value else np.inf
    return f"{part:.2%}" if part < 0.1 else f"{part:.0%}" if part <= 1 else "> 100%"


def _base(found: "Identification") -> Grid:
    half = found.estimate.half_width()
    rows = []
    for k, name in enumerate(found.base.names[:MANY]):
        x, s, was = found.base_values[k], found.base_deviations[k], found.base.values[k]
        z = (x - was) / s if s > 0 and np.isfinite(s) else np.nan
        share = _share(s, x) if np.isfinite(s) else ""
        now, then = (write_number(number, found.base_sizes[k]) for number in (x, was))
        rows.append(
            (name, now, f"{s:.2g}", share, f"{half[k]:.2g}", then, f"{z:z.1f}", plain_unit(found.base.units[k]))
        )
    for name, g, s in zip(found.rows.names, found.gains, found.gain_deviations, strict=False):
        rows.append((f"gain of {name}", f"{g:.6g}", f"{s:.2g}", _share(s, g), "", "1", f"{(g - 1) / s:.1f}", "1"))
    head = ("base parameter", "identified", "±σ", "σ/value", "95 % ±", "described", "z", "unit")
    return Grid(head, tuple(rows), head[1:7])


def _told(found: "Identification") -> str:
    parts = [f"These are {found.consistency_words}."]
    if found.at_joints:
        parts.append(f"{found.at_joints[0].upper() + found.at_joints[1:]}.")
    if found.inconsistent:
        parts.append(f"No robot of matter can have: {', '.join(found.inconsistent)}.")
    if found.undetermined:
        parts.append(
            f"The data say less than the description of {len(found.undetermined)} of these numbers, which rest on it."
        )
    return " ".join(parts)


def _numbers(found: "Identification") -> Grid:
    unknowns, told = found.base.regressor.unknowns, found.standard.told
    own = zip(unknowns, found.standard.values, found.standard.deviations, told, found.sizes, strict=True)
    rows = tuple(
        (
            u.name,
            write_number(x, z),
            f"{s:.2g}",
            write_number(u.value, z),
            plain_unit(u.unit),
            "data" if t else "description",
        )
        for u, x, s, t, z in own
    )
    head = ("number", "now", "±σ", "described", "unit", "told by")
    return Grid(head, rows[:MANY], head[1:4])
