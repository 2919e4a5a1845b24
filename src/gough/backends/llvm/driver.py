"""The driver of a kernel: rows of states into vectors, the body, vectors back into rows, tile by tile."""

from gough.program.program import Program


def write_driver(program: Program, lanes: int, n_chunks: int, n_scratch: int, arguments: str) -> str:
    """IR of  void kernel(inputs, strides, outputs, status, begin, end)."""
    T, I = f"<{lanes} x double>", f"<{lanes} x i64>"
    lines = [
        "define void @kernel(ptr %inputs, ptr %strides, ptr %outputs, ptr %status, i64 %begin, i64 %end) {",
        "entry:",
        f"  %scratch = alloca {T}, i64 {max(n_scratch, 1)}, align 64",
        f"  %tile = alloca {T}, i64 {max(program.n_inputs, 1)}, align 64",
        f"  %results = alloca {T}, i64 {max(len(program.results), 1)}, align 64",
        f"  %mask = alloca {I}, align 64",
        "  %last = sub i64 %end, 1",
        "  br label %loop",
        "loop:",
        "  %i = phi i64 [ %begin, %entry ], [ %next, %finish ]",
        f"  store {I} zeroinitializer, ptr %mask, align 64",
    ]
    for lane in range(lanes):
        lines += [
            f"  %a{lane} = add i64 %i, {lane}",
            f"  %c{lane} = icmp slt i64 %a{lane}, %last",
            f"  %r{lane} = select i1 %c{lane}, i64 %a{lane}, i64 %last",
        ]
    label = "loop"
    offset = 0
    for s, slot in enumerate(program.inputs):
        if slot.size and not slot.uniform:
            label = _copy(lines, f"in{s}", label, lanes, slot.size, offset, s, inward=True)
        offset += slot.size
    lines += [f"  call void @chunk_{k}({arguments})" for k in range(n_chunks)]
    offset = 0
    for s, slot in enumerate(program.outputs):
        if slot.size:
            label = _copy(lines, f"out{s}", label, lanes, slot.size, offset, s, inward=False)
        offset += slot.size
    lines += ["  br label %finish", "finish:", f"  %m = load {I}, ptr %mask, align 64"]
    for lane in range(lanes):
        lines += [
            f"  %s{lane} = extractelement {I} %m, i32 {lane}",
            f"  %q{lane} = getelementptr i64, ptr %status, i64 %r{lane}",
            f"  store i64 %s{lane}, ptr %q{lane}, align 8",
        ]
    lines += [
        f"  %next = add i64 %i, {lanes}",
        "  %more = icmp slt i64 %next, %end",
        "  br i1 %more, label %loop, label %done",
        "done:",
        "  ret void",
        "}",
    ]
    return "\n".join(lines)


def _copy(lines: list[str], name: str, label: str, lanes: int, size: int, offset: int, slot: int, inward: bool) -> str:
    """A loop over the entries of a slot that moves one entry of all lanes; returns the label it ends in."""
    T = f"<{lanes} x double>"
    array, block = ("%inputs", "%tile") if inward else ("%outputs", "%results")
    lines.append(f"  %{name}.at = getelementptr ptr, ptr {array}, i64 {slot}")
    lines.append(f"  %{name}.base = load ptr, ptr %{name}.at, align 8")
    if inward:
        lines.append(f"  %{name}.sat = getelementptr i64, ptr %strides, i64 {slot}")
        lines.append(f"  %{name}.stride = load i64, ptr %{name}.sat, align 8")
    for lane in range(lanes):
        stride = f"%{name}.stride" if inward else str(size)
        lines.append(f"  %{name}.o{lane} = mul i64 %r{lane}, {stride}")
        lines.append(f"  %{name}.p{lane} = getelementptr double, ptr %{name}.base, i64 %{name}.o{lane}")
    lines += [
        f"  %{name}.tile = getelementptr {T}, ptr {block}, i64 {offset}",
        f"  br label %{name}",
        f"{name}:",
        f"  %{name}.k = phi i64 [ 0, %{label} ], [ %{name}.next, %{name} ]",
        f"  %{name}.v = getelementptr {T}, ptr %{name}.tile, i64 %{name}.k",
    ]
    for lane in range(lanes):
        lines.append(f"  %{name}.x{lane} = getelementptr double, ptr %{name}.p{lane}, i64 %{name}.k")
    if inward:  # one vector store, so that the body's vector load is served from the store buffer
        vector = "undef"
        for lane in range(lanes):
            lines.append(f"  %{name}.z{lane} = load double, ptr %{name}.x{lane}, align 8")
            lines.append(f"  %{name}.w{lane} = insertelement {T} {vector}, double %{name}.z{lane}, i32 {lane}")
            vector = f"%{name}.w{lane}"
        lines.append(f"  store {T} {vector}, ptr %{name}.v, align 64")
    else:
        lines.append(f"  %{name}.w = load {T}, ptr %{name}.v, align 64")
        for lane in range(lanes):
            lines.append(f"  %{name}.z{lane} = extractelement {T} %{name}.w, i32 {lane}")
            lines.append(f"  store double %{name}.z{lane}, ptr %{name}.x{lane}, align 8")
    lines += [
        f"  %{name}.next = add i64 %{name}.k, 1",
        f"  %{name}.more = icmp slt i64 %{name}.next, {size}",
        f"  br i1 %{name}.more, label %{name}, label %{name}.end",
        f"{name}.end:",
    ]
    return f"{name}.end"
