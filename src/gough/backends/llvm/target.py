"""CPUs: how many lanes, which features; and turning IR text into an object file."""

import sys
from dataclasses import dataclass, replace
from functools import lru_cache

from gough.locks import make_nested_lock
from gough.program.lowering import Machine

LOCK = make_nested_lock()
"""LLVM's parser and code generators are used by one thread at a time."""


@dataclass(frozen=True)
class CpuTarget:
    """A CPU: LLVM's triple ("" for this machine's), its name, feature string and doubles in a vector register."""

    triple: str
    cpu: str
    features: str
    lanes: int
    fused: bool
    assembler: bool = False
    """Whether bodies are written as assembly (AVX-512, System V calling convention)."""
    scalar_assembler: bool = False
    """Whether bodies of one state at a time can be (AVX and fused multiply-adds, System V calling convention)."""

    def machine(self, precision: str) -> Machine:
        """What programs may use; seeds of reciprocals beat division on AVX-512 only."""
        return Machine(fused=self.fused, seeds=self.lanes == 8, shared=precision != "ieee")


KNOWN = {
    "avx512": CpuTarget("x86_64-unknown-linux-gnu", "skylake-avx512", "-prefer-256-bit", 8, True, True),
    "avx2": CpuTarget("x86_64-unknown-linux-gnu", "haswell", "", 4, True),
    "sse2": CpuTarget("x86_64-unknown-linux-gnu", "x86-64", "", 2, False),
    "neon": CpuTarget("aarch64-unknown-linux-gnu", "cortex-a72", "", 2, True),
}
"""CPUs code can be made for from any machine."""


@lru_cache(maxsize=1)
def host() -> CpuTarget:
    """This machine's CPU."""
    import llvmlite.binding as llvm

    with LOCK:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        llvm.initialize_native_asmparser()
    found = dict(llvm.get_host_cpu_features())
    features = llvm.get_host_cpu_features().flatten()
    name = llvm.get_host_cpu_name()
    if llvm.get_process_triple().startswith(("aarch64", "arm64")):
        return CpuTarget("", name, features, 2, True)
    linux = sys.platform == "linux" and llvm.get_process_triple().startswith("x86_64")
    fused = bool(found.get("fma"))
    scalar = linux and fused and bool(found.get("avx"))
    if found.get("avx512f") and found.get("avx512dq"):
        return CpuTarget("", name, features + ",-prefer-256-bit", 8, True, linux, scalar)
    return CpuTarget("", name, features, 4 if found.get("avx2") and fused else 2, fused, False, scalar)


def for_one_state(target: CpuTarget) -> CpuTarget:
    """A CPU for one state at a time: scalars wait less for each other than wide vectors with one lane in use."""
    return replace(target, lanes=1, assembler=target.scalar_assembler)


def target_machine(target: CpuTarget):
    """LLVM's code generator for a target. Vectors are worth its second look at the order of instructions; for scalars, whose
    order the CPU itself changes, and around bodies that are assembly already, it takes a third of the time for nothing."""
    import llvmlite.binding as llvm

    if target.triple:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        llvm.initialize_native_asmparser()
        kind = llvm.Target.from_triple(target.triple)
    else:
        kind = llvm.Target.from_default_triple()
    return kind.create_target_machine(
        cpu=target.cpu,
        features=target.features,
        opt=1 if target.assembler or target.lanes == 1 else 2,
        reloc="default",
        codemodel="jitdefault",
        jit=True,
    )


def compile_object(ir: str, target: CpuTarget) -> bytes:
    """Object file of IR text."""
    import llvmlite.binding as llvm

    with LOCK:
        machine = target_machine(target)
        module = llvm.parse_assembly(ir)
        module.triple = machine.triple
        return machine.emit_object(module)


class LoadedObject:
    """An object file made for this machine, loaded; keeps its code alive as long as its functions are used."""

    def __init__(self, data: bytes) -> None:
        import llvmlite.binding as llvm

        with LOCK:
            empty = llvm.parse_assembly("")
            self.engine = llvm.create_mcjit_compiler(empty, target_machine(host()))
            self.engine.add_object_file(llvm.ObjectFileRef.from_data(data))
            self.engine.finalize_object()

    def address(self, name: str) -> int:
        """Address of a function."""
        return self.engine.get_function_address(name)
