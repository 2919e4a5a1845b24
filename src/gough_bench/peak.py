"""The core's peak rate of multiply-adds, measured with a loop of independent ones.

The share of the issue limit of a program is (its instructions / lanes) / (this rate) / (its time a state): 1 where every
issue slot for arithmetic holds one of its instructions.
"""

import ctypes
import time

from gough.backends.llvm.target import LoadedObject, compile_object, host

CHAINS = 12
"""Independent chains: enough for two ports of latency 5, and all fit with both factors into 16 registers."""
ROUNDS = 200_000


class Peak:
    """A compiled loop of multiply-adds on full vectors."""

    def __init__(self) -> None:
        target = host()
        self.lanes = target.lanes
        self._code = LoadedObject(compile_object(_loop(target.lanes, target.fused), target))
        address = self._code.address("peak")
        self._run = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int64, ctypes.c_double, ctypes.c_double)(address)
        self._run(ROUNDS, 0.5, 1.0)

    def instructions_per_second(self) -> float:
        """Vector multiply-adds a second, measured once (some ms)."""
        start = time.perf_counter()
        self._run(ROUNDS, 0.5, 1.0)
        return ROUNDS * CHAINS / (time.perf_counter() - start)


def _loop(lanes: int, fused: bool) -> str:
    T = f"<{lanes} x double>"
    lines = [f"  %a{k}.next = call {T} @llvm.fma.v{lanes}f64({T} %a{k}, {T} %f, {T} %g)" for k in range(CHAINS)]
    if not fused:  # a CPU without them issues a product and a sum; count the pair as one
        lines = [
            f"  %p{k} = fmul {T} %a{k}, %f\n  %a{k}.next = fadd {T} %p{k}, %g" for k in range(CHAINS)
        ]  # fmt: skip
    heads = [f"  %a{k} = phi {T} [ %g, %entry ], [ %a{k}.next, %loop ]" for k in range(CHAINS)]
    sums = [f"  %s{k + 1} = fadd {T} %s{k}, %a{k + 1}.next" for k in range(CHAINS - 1)]
    sums[0] = sums[0].replace("%s0", "%a0.next")
    splat = f"shufflevector {T} %{{0}}1, {T} poison, <{lanes} x i32> zeroinitializer"
    return "\n".join(
        [
            "define double @peak(i64 %n, double %x, double %y) {",
            "entry:",
            f"  %f1 = insertelement {T} poison, double %x, i32 0",
            f"  %f = {splat.format('f')}",
            f"  %g1 = insertelement {T} poison, double %y, i32 0",
            f"  %g = {splat.format('g')}",
            "  br label %loop",
            "loop:",
            "  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]",
            *heads,
            *lines,
            "  %i.next = add i64 %i, 1",
            "  %more = icmp slt i64 %i.next, %n",
            "  br i1 %more, label %loop, label %done",
            "done:",
            *sums,
            f"  %r = extractelement {T} %s{CHAINS - 1}, i32 0",
            "  ret double %r",
            "}",
            f"declare {T} @llvm.fma.v{lanes}f64({T}, {T}, {T})",
        ]
    )
