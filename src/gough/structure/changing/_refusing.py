"""Why a parameter cannot be written back into a description, and what to do."""

import re

from gough.structure.mechanism import Structure

TIED = re.compile(r"(?P<body>.+) at [-0-9. e]+(?: \(point\))?\.[a-z0-9_]+(?:\[.*)?")
"""Numbers of a frame that is tied to a flexible body: its place, and how it moves with each shape."""


def why_not(structure: Structure, name: str) -> str:
    """Of a parameter that no number of the description states alone."""
    head, _, last = name.rpartition(".")
    bodies = [link.name for link in structure.links if link.elastic is not None]
    tied = TIED.fullmatch(name)
    flexible = tied["body"] if tied else next((body for body in bodies if name.startswith(f"{body}.")), None)
    if flexible is not None and head not in (f"{flexible}.frame", f"{flexible}.platform"):
        return (
            f"the body {flexible} is flexible, its numbers follow from its shape, its material and what is attached to it; "
            "change those in the description"
        )
    if ".friction." in name:
        return "there is no friction in a joint that does not move, or closes a loop as this one does; give it to another joint"
    if bodies and last in ("x", "y", "z") and not head.endswith((".frame", ".second")):
        return (
            "something is attached to a flexible body there, whose shapes are computed for that place; change it in the "
            "description"
        )
    return "it follows from directions of joints (`axis`, `axes`), from `freedoms` or from home; change those in the description"
