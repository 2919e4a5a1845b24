"""Flexible bodies as `gough show` prints them."""

from typing import Any

from gough.cli.output import console, say, short, table

MOST = 12
"""Coordinates of a body that are listed one by one."""


def show_flexible(bodies: list[dict[str, Any]]) -> None:
    """One row a body: its coordinates and their frequencies; then what there is to know about how it was made."""
    if not bodies:
        return
    shown = table("flexible body", "coordinates", "frequencies (Hz)", "mass (kg)", "stiffening")
    for body in bodies:
        names = [name.removeprefix(f"{body['body']}.") for name in body["coordinates"]]
        frequencies = [short(f, 6) for f in body["frequencies_hz"]]
        shown.add_row(body["body"], _listed(names), _listed(frequencies), short(body["mass"]), body["stiffening"])
    console().print(shown)
    for body in bodies:
        remarks = [text for text in body["remarks"] if not text.startswith("stiffening:")]
        say(f"  {body['body']}: {'; '.join(remarks)}")
    say()


def _listed(entries: list[str]) -> str:
    if len(entries) <= MOST:
        return " ".join(entries)
    return f"{' '.join(entries[: MOST - 2])} … {entries[-1]} ({len(entries)})"
