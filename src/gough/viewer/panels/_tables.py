"""Small tables and lines of a tab as HTML: fixed widths, so that nothing jumps while numbers change."""

from html import escape

import numpy as np

from gough.model import Model
from gough.viewer.posing.readout import Readout, Settled

RED = "#e03131"
GREEN = "#2f9e44"
BOX = "font-size:0.8rem;line-height:1.35;padding:0 0.6rem"
TABLE = f"width:100%;table-layout:fixed;border-collapse:collapse;font-variant-numeric:tabular-nums;{BOX}"
CUT = "overflow:hidden;text-overflow:ellipsis;white-space:nowrap"
SHORT = 12
"""Letters of a name that fits beside a number."""
WAITING = "opacity:0.45"
"""Of numbers that belong to a pose before the one shown: newer ones are being computed."""


def number(x: float) -> str:
    """Four significant digits; a dash where there is no number."""
    if np.isnan(x):
        return "–"
    if np.isinf(x):
        return "∞" if x > 0 else "-∞"
    text = f"{x + 0.0:.4g}"
    if "e" in text:
        mantissa, _, exponent = text.partition("e")
        return f"{mantissa}e{int(exponent)}"
    return text


def line(text: str, bad: bool = False, good: bool = False, lines: int = 1) -> str:
    """A sentence; room for some lines is kept."""
    colour = RED if bad else GREEN if good else "inherit"
    return f'<div style="{BOX};color:{colour};min-height:{1.35 * lines}em">{escape(text)}</div>'


def note(text: str) -> str:
    """A remark in small print."""
    return f'<div style="{BOX};font-size:0.72rem;opacity:0.7">{escape(text)}</div>'


def table(heads: list[str], rows: list[list[str]], widths: list[int], dim: list[bool] | None = None) -> str:
    """Texts in columns of the given widths (%), the first left, the others right; `dim` rows are waiting."""

    def cell(text: str, k: int, tag: str) -> str:
        side = "left" if k == 0 else "right"
        weight = "font-weight:500;opacity:0.65" if tag == "th" else ""
        return f'<{tag} style="text-align:{side};padding:1px 0;{CUT};{weight}" title="{escape(text)}">{escape(text)}</{tag}>'

    columns = "".join(f'<col style="width:{w}%">' for w in widths)
    head = "<tr>" + "".join(cell(h, k, "th") for k, h in enumerate(heads)) + "</tr>" if any(heads) else ""
    body = ""
    for i, row in enumerate(rows):
        style = f' style="{WAITING}"' if dim is not None and dim[i] else ""
        body += f"<tr{style}>" + "".join(cell(t, k, "td") for k, t in enumerate(row)) + "</tr>"
    return f'<div style="{BOX}"><table style="{TABLE};padding:0">{columns}{head}{body}</table></div>'


def drives_table(model: Model, found: Readout, settled: Settled | None, waiting: bool) -> str:
    """Coordinates, room to limits and forces of the drives; forces of flexible robots come with the equilibrium."""
    late = bool(model.layout.n_elastic)
    tau = (settled.tau if settled is not None else np.full_like(found.tau, np.nan)) if late else found.tau
    limited = bool(np.isfinite(found.room).any())
    rows, dim = [], []
    for k, (name, unit) in enumerate(zip(model.layout.drive_names, model.layout.drive_units, strict=True)):
        turning = unit == "N m"
        place = np.degrees(found.drives[k]) if turning else found.drives[k]
        room = float(found.room[k].min())
        room = np.degrees(room) if turning else room
        row = [name, f"{number(place)} {'°' if turning else 'm'}"]
        row += [f"{number(room)}" if np.isfinite(room) else "–"] if limited else []
        rows.append([*row, f"{number(tau[k])} {unit.replace(' ', ' ')}"])
        dim.append(late and waiting)
    if not rows:
        return note(found.forces_note)
    heads = ["Drive", "Position", *(["Margin"] if limited else []), "Force"]
    made = table(heads, rows, [28, 26, 18, 28] if limited else [34, 33, 33], dim)
    return made + (note(found.forces_note) if found.forces_note else "")


def measures_table(model: Model, found: Readout, settled: Settled | None, waiting: bool) -> str:
    """Conditions at once; frequency and stiffness when they are known."""
    parallel = number(found.parallel) if model.driven else "–"
    serial = number(found.serial) + (f" ({found.folded})" if 0 < len(found.folded) <= SHORT else "")
    frequency, stiffness, remark = "…", "…", " "
    if settled is not None:
        f = settled.frequency
        frequency = f"{number(f)} Hz" if not f < 0 else "unstable"
        stiffness = "rigid" if np.isinf(settled.stiffness) else f"{number(settled.stiffness)} N/m"
        remark = settled.note or " "
    rows = [
        ["Condition, parallel", parallel],
        ["Condition, serial", serial],
        ["First frequency", frequency],
        ["Softest stiffness", stiffness],
    ]
    return table(["", ""], rows, [50, 50], [False, False, waiting, waiting]) + note(remark)
