"""What is made of a program's results over the states of a design."""

from dataclasses import dataclass

HOWS = ("peak", "largest", "smallest", "sum", "gain", "rms", "range")
ENTRIES, CONDITION = "entries", "condition"


@dataclass(frozen=True)
class MeasuredPart:
    """An output slot of the program. kind: ENTRIES, all of them; CONDITION: the one number that its matrix (rows, columns), rows
    ≤ columns, has: smallest over largest singular value."""

    kind: str
    shape: tuple[int, ...]

    @property
    def entries(self) -> int:
        """Numbers that are reduced."""
        if self.kind == CONDITION:
            return 1
        size = 1
        for n in self.shape:
            size *= n
        return size


@dataclass(frozen=True)
class ReducedMeasure:
    """One number of a design. how: of HOWS: the largest |x|, x or -x of all entries and states; the sum of w x, or of w x where
    x > 0; the largest of all entries' √(Σ w x²), or of their ranges. w: a weight of every state."""

    name: str
    how: str
    parts: tuple[MeasuredPart, ...]

    @property
    def entries(self) -> int:
        """Of all parts."""
        return sum(p.entries for p in self.parts)

    @property
    def cells(self) -> int:
        """Numbers that a thread keeps beside registers."""
        return {"rms": 1, "range": 2}.get(self.how, 0) * self.entries
