"""The host's CPU: how many lanes, which features; and turning IR text into machine code."""

import threading
from dataclasses import dataclass
from functools import lru_cache

_lock = threading.Lock()


@dataclass(frozen=True)
class Host:
    """CPU name, feature string and number of double lanes of a vector register."""

    cpu: str
    features: str
    lanes: int


@lru_cache(maxsize=1)
def host() -> Host:
    """This machine's CPU."""
    import llvmlite.binding as llvm

    with _lock:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
    found = dict(llvm.get_host_cpu_features())
    features = llvm.get_host_cpu_features().flatten()
    if found.get("avx512f"):
        return Host(llvm.get_host_cpu_name(), features + ",-prefer-256-bit", 8)
    return Host(llvm.get_host_cpu_name(), features, 4 if found.get("avx2") else 2)


class MachineCode:
    """Compiled module; keeps the engine alive as long as its functions are used."""

    def __init__(self, ir: str) -> None:
        import llvmlite.binding as llvm

        target = host()
        with _lock:
            module = llvm.parse_assembly(ir)
            machine = llvm.Target.from_default_triple().create_target_machine(
                cpu=target.cpu, features=target.features, opt=2, reloc="default", codemodel="jitdefault", jit=True
            )
            self.engine = llvm.create_mcjit_compiler(module, machine)
            self.engine.finalize_object()

    def address(self, name: str) -> int:
        """Address of a function."""
        return self.engine.get_function_address(name)
