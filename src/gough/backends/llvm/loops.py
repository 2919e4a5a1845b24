"""Counted loops in IR text, with values that are carried from turn to turn."""

from collections.abc import Sequence

from gough.backends.llvm.writer import Writer


class Loop:
    """`for k in range(start, stop, step)`; stop may be a value. Between `open` and `close` the writer writes the body.

    loop = Loop(w, "row")
    k, (total,) = loop.open(0, n, carried=[zero])
    ...
    (total,) = loop.close([new_total])      # the values after the last turn
    """

    def __init__(self, w: Writer, name: str) -> None:
        self.w, self.name = w, f"loop.{name}"

    def open(
        self, start: int | str, stop: int | str, step: int = 1, carried: Sequence[str] = ()
    ) -> tuple[str, list[str]]:
        """(counter, carried values at the head of a turn)."""
        w, name = self.w, self.name
        w.do(f"br label %{name}.enter")
        w.label(f"{name}.enter")
        w.do(f"br label %{name}")
        w.label(name)
        self.step = step
        w.do(f"%{name}.k = phi i64 [ {start}, %{name}.enter ], [ %{name}.next, %{name}.latch ]")
        self.first = len(w.lines)
        self.values = [f"%{name}.c{i}" for i in range(len(carried))]
        for value, initial in zip(self.values, carried, strict=True):
            w.do(f"{value} = phi {w.T} [ {initial}, %{name}.enter ], [ ?, %{name}.latch ]")
        compare = "slt" if step > 0 else "sgt"
        w.do(f"%{name}.more = icmp {compare} i64 %{name}.k, {stop}")
        w.do(f"br i1 %{name}.more, label %{name}.body, label %{name}.end")
        w.label(f"{name}.body")
        return f"%{name}.k", self.values

    def close(self, carried: Sequence[str] = ()) -> list[str]:
        """End a turn with the new carried values; returns those after the last turn."""
        w, name = self.w, self.name
        w.do(f"br label %{name}.latch")
        w.label(f"{name}.latch")
        w.do(f"%{name}.next = add i64 %{name}.k, {self.step}")
        w.do(f"br label %{name}")
        w.label(f"{name}.end")
        for i, value in enumerate(carried):
            w.lines[self.first + i] = w.lines[self.first + i].replace("[ ?,", f"[ {value},")
        return self.values
