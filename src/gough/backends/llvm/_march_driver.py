"""The driver of a time loop: a program that makes the next state from the present one, again and again.

    i64 march(state, own, given, record, status, steps, first, every, stride, table)

Arrays are those of one tile: vectors of W runs, one after the other. Each turn the row of `given` (scalars, the same for all
runs, `stride` apart) is spread, the functions run, and the slot "state" of the results becomes that of the inputs; a run that
fails a check keeps its last good state. The slot "record" is written at turn `first` (counted from 1) and then every `every`
turns. The loop ends early when the output "running" is not positive in any run, or when all runs have failed; it returns the
number of turns done.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from gough.backends.backend import GIVEN, OWN, RECORD, RUNNING, STATE
from gough.backends.llvm._driver import Callables, take_room
from gough.backends.llvm._writer import ARGUMENTS, CountedLoop, Writer
from gough.program.program import Program, Slot

SIGNATURE = (
    "ptr %state, ptr %own, ptr %given, ptr %record, ptr %status, i64 %steps, i64 %first, i64 %every, i64 %stride, "
    "ptr %table"
)


def write_march(program: Program, body: Callables) -> str:
    """IR of the loop. Input slots: "state", "own" (of a run), "given" (of a turn), and uniform ones; outputs: "state",
    "record", "running"."""
    w = Writer(body.lanes)
    ins, outs = _offsets(program.inputs), _offsets(program.outputs)
    own_results = sum(array == "%results" for array, _ in body.outputs)
    sizes = {"scratch": body.scratch_size, "tile": program.n_inputs, "results": own_results, "mask": 1}
    heap = take_room(w, sizes)
    for name in (STATE, OWN):
        _copy(w, f"in.{name}", f"%{name}", 0, "%tile", *ins.get(name, (0, 0)))
    first, size = outs[STATE]
    w.do(f"%failed.at = getelementptr {w.I}, ptr %status, i64 1")
    w.do("br label %head")
    w.label("head")
    w.do("%k = phi i64 [ 0, %loop.in.own.end ], [ %k.next, %next ]")
    w.do("%due = phi i64 [ %first, %loop.in.own.end ], [ %due.next, %next ]")
    w.do("%row = phi i64 [ 0, %loop.in.own.end ], [ %row.next, %next ]")
    w.do("%over = phi i1 [ false, %loop.in.own.end ], [ %all, %next ]")
    w.do("%stop = or i1 %over, " + w.emit("icmp sge i64 %k, %steps"))
    w.do("br i1 %stop, label %done, label %turn")
    w.label("turn")
    _spread(w, *ins.get(GIVEN, (0, 0)))
    w.do(f"store {w.I} zeroinitializer, ptr %mask, align {w.bytes}")
    for name in body.calls:
        w.do(f"call void @{name}({ARGUMENTS})")
    w.do(f"%m = load {w.I}, ptr %mask, align {w.bytes}")
    w.do(f"%failed = load {w.I}, ptr %failed.at, align {w.bytes}")
    w.do(f"%bad = icmp ne {w.I} %m, zeroinitializer")
    w.do(f"%dead = icmp sge {w.I} %failed, zeroinitializer")
    w.do(f"%fresh = select {w.B} %dead, {w.B} zeroinitializer, {w.B} %bad")
    now = _splat_integer(w, "%k")
    w.do(f"store {w.I} {w.emit(f'select {w.B} %fresh, {w.I} {now}, {w.I} %failed')}, ptr %failed.at, align {w.bytes}")
    seen = w.emit(f"load {w.I}, ptr %status, align {w.bytes}")
    kept = w.emit(f"select {w.B} %dead, {w.I} zeroinitializer, {w.I} %m")
    w.do(f"store {w.I} {w.emit(f'or {w.I} {seen}, {kept}')}, ptr %status, align {w.bytes}")
    w.do(f"%lost = or {w.B} %dead, %bad")
    places: list[str] = []
    with _each_output(w, places, STATE, body.outputs[first : first + size]) as (k, value):
        at = w.emit(f"getelementptr {w.T}, ptr %tile, i64 {w.emit(f'add i64 {k}, {ins[STATE][0]}')}")
        old = w.emit(f"load {w.T}, ptr {at}, align {w.bytes}")
        w.do(f"store {w.T} {w.emit(f'select {w.B} %lost, {w.T} {old}, {w.T} {value}')}, ptr {at}, align {w.bytes}")
    w.do("%left = sub i64 %due, 1")
    w.do("%full = icmp eq i64 %left, 0")
    w.do("br i1 %full, label %write, label %wrote")
    w.label("write")
    begin, count = outs.get(RECORD, (0, 0))
    to = w.emit(f"getelementptr {w.T}, ptr %record, i64 {w.emit(f'mul i64 %row, {count}')}")
    with _each_output(w, places, RECORD, body.outputs[begin : begin + count]) as (k, value):
        w.do(f"store {w.T} {value}, ptr {w.emit(f'getelementptr {w.T}, ptr {to}, i64 {k}')}, align {w.bytes}")
    w.do("br label %wrote")
    w.label("wrote")
    w.do("%due.next = select i1 %full, i64 %every, i64 %left")
    w.do("%row.next = add i64 %row, " + w.emit("zext i1 %full to i64"))
    over = "%lost"
    if RUNNING in outs:
        flag = w.load(*body.outputs[outs[RUNNING][0]])
        over = w.emit(f"or {w.B} %lost, {w.emit(f'fcmp ule {w.T} {flag}, zeroinitializer')}")
    joined = f"llvm.vector.reduce.and.v{w.lanes}i1"
    w.declared.add(f"declare i1 @{joined}({w.B})")
    w.do(f"%all = call i1 @{joined}({w.B} {over})")
    w.do("br label %next")
    w.label("next")
    w.do("%k.next = add i64 %k, 1")
    w.do("br label %head")
    w.label("done")
    _copy(w, "out.state", "%tile", ins[STATE][0], "%state", 0, size)
    if heap:
        w.do("call void @free(ptr %room)")
    w.do("ret i64 %k")
    body.declared |= w.declared
    return "\n".join([*places, f"define i64 @march({SIGNATURE}) {{", "entry:", *w.lines, "}"])


@contextmanager
def _each_output(
    w: Writer, places: list[str], name: str, outputs: Sequence[tuple[str, int]]
) -> Iterator[tuple[str, str]]:
    """A loop over results: (its counter, the value of a result). Written out, the hundreds of numbers that an implicit method
    carries from step to step would take longer to compile than all equations. places: tables of the module, where one is
    added that says where results are."""
    arrays = {array for array, _ in outputs} or {"%results"}
    (array,) = arrays
    table = f"@march.{name}"
    words = ", ".join(f"i32 {at}" for _, at in outputs)
    places.append(f"{table} = internal constant [{len(outputs)} x i32] [{words}]")
    loop = CountedLoop(w, f"each.{name}")
    k, _ = loop.open(0, len(outputs))
    entry = w.emit(f"load i32, ptr {w.emit(f'getelementptr i32, ptr {table}, i64 {k}')}, align 4")
    at = w.emit(f"getelementptr {w.T}, ptr {array}, i64 {w.emit(f'sext i32 {entry} to i64')}")
    yield k, w.emit(f"load {w.T}, ptr {at}, align {w.bytes}")
    loop.close()


def _offsets(slots: Sequence[Slot]) -> dict[str, tuple[int, int]]:
    """{slot: (position of its first entry, size)}."""
    found, offset = {}, 0
    for slot in slots:
        found[slot.name] = (offset, slot.size)
        offset += slot.size
    return found


def _copy(w: Writer, name: str, source: str, first: int, target: str, to: int, size: int) -> None:
    loop = CountedLoop(w, name)
    k, _ = loop.open(0, size)
    a = w.emit(f"getelementptr {w.T}, ptr {source}, i64 {w.emit(f'add i64 {k}, {first}')}")
    value = w.emit(f"load {w.T}, ptr {a}, align {w.bytes}")
    b = w.emit(f"getelementptr {w.T}, ptr {target}, i64 {w.emit(f'add i64 {k}, {to}')}")
    w.do(f"store {w.T} {value}, ptr {b}, align {w.bytes}")
    loop.close()


def _spread(w: Writer, first: int, size: int) -> None:
    """The row of this turn into the tile."""
    start = w.emit(f"getelementptr double, ptr %given, i64 {w.emit('mul i64 %k, %stride')}")
    loop = CountedLoop(w, "given")
    k, _ = loop.open(0, size)
    value = w.splat(w.emit(f"load double, ptr {w.emit(f'getelementptr double, ptr {start}, i64 {k}')}, align 8"))
    at = w.emit(f"getelementptr {w.T}, ptr %tile, i64 {w.emit(f'add i64 {k}, {first}')}")
    w.do(f"store {w.T} {value}, ptr {at}, align {w.bytes}")
    loop.close()


def _splat_integer(w: Writer, value: str) -> str:
    one = w.emit(f"insertelement {w.I} undef, i64 {value}, i32 0")
    return w.emit(f"shufflevector {w.I} {one}, {w.I} undef, <{w.lanes} x i32> zeroinitializer")
