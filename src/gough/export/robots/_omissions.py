"""What a format cannot say: refused where it changes the dynamics, unless the user leaves it out; else a warning. All at once."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from gough.errors import UsageError, warn
from gough.interchange.findings import ConversionWarning

ALL = "all"
TOLERANCE = "closure_tolerance"
BY_RULE = {"velocities": "any", "drive_sharing": "least_norm"}
"""Choices that are made for every robot of another program's file, so that nothing is lost without them."""
KINDS = {
    "flexible": "bodies that bend, as rigid ones",
    "telescopic": "inertia that follows a joint, as it is at home",
    "massless": "moving bodies without mass, with the least mass the format takes",
    "inertia": "tensors that no body has, as the nearest that the format takes",
    "weight": "bodies of whose weight a share acts, as if all did",
    "armature": "inertia of rotors",
    "friction": "friction that the format has no words for",
    "smoothing": "the rounding of Coulomb's friction at rest",
    "springs": "springs that the format has no words for",
    "couplings": "gears, racks and belts",
    "loops": "joints that close loops: the file is then another mechanism",
}
"""What may be left out, and what is written then."""


class Omissions:
    """Collects what a format cannot say. leave_out: kinds that are left out all the same, or "all"."""

    def __init__(self, format: str, file: str, leave_out: Collection[str]) -> None:
        unknown = sorted(set(leave_out) - {*KINDS, ALL})
        if unknown:
            raise UsageError(f"leave_out: {unknown[0]!r} is none of {', '.join(KINDS)}, {ALL}")
        self.format, self.file = format, file
        self._left = set(KINDS) if ALL in leave_out else set(leave_out)
        self._refused: list[tuple[str, str]] = []
        self._said: list[str] = []

    def drop(self, kind: str, message: str, instead: str = "") -> None:
        """Something that changes the dynamics; instead: what is written where it is left out."""
        if kind in self._left:
            self._said.append(f"{message}: left out{', ' if instead else ''}{instead}")
        else:
            self._refused.append((kind, message))

    def refuse(self, message: str) -> None:
        """Something without which there is no robot."""
        self._refused.append(("", message))

    def note(self, message: str) -> None:
        """Something that does not change the dynamics."""
        self._said.append(message)

    def note_choices(self, choices: Mapping[str, Any], undriven: bool = False) -> None:
        """What the description chooses for its own equations, where the format has no place for it and a reader would choose
        otherwise; a tolerance of loops is written. undriven: whether nothing in a tree is driven."""
        if undriven:
            self.note(
                "no joint is driven, which the format cannot say: read here again, all would be; name drives, none of them"
            )
        left = [key for key, value in choices.items() if key != TOLERANCE and value != BY_RULE.get(key)]
        if left:
            said = f"{', '.join(left)} {'are' if len(left) > 1 else 'is'} left out"
            self.note(f"{said}: other programs have equations of their own")

    def tell(self) -> None:
        """Raise UsageError with everything that was refused, or warn of all that is left out."""
        if self._refused:
            raise UsageError("\n".join(self._refusal()))
        for text in dict.fromkeys(self._said):
            warn(f"{self.file}: {text}", ConversionWarning)

    def _refusal(self) -> Iterator[str]:
        yield f"{self.file}: {self.format} cannot say"
        messages: dict[str, str] = {message: kind for kind, message in self._refused}
        for message, kind in messages.items():
            yield f"  {message}{'' if kind else ' (which cannot be left out)'}"
        kinds = [kind for kind in KINDS if kind in messages.values()]
        if kinds and "" not in messages.values():
            words = " ".join(f"--leave-out {kind}" for kind in kinds)
            yield f"To write it without: {words} (leave_out=[{', '.join(repr(kind) for kind in kinds)}])"
