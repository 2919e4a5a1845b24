"""A controller of `gough.export.export_law`, called `controller`, on machines it is cross-compiled for: its bits, what it takes.

Debian's compilers make it for aarch64 (`gcc-aarch64-linux-gnu`, `libc6-dev-arm64-cross`, run by `qemu-user`) and for a Cortex-M7
(`gcc-arm-none-eabi`, `libnewlib-arm-none-eabi`, run by `qemu-system-arm` as the board mps2-an500). `real_time.py` reports what is
found, `tests/export/test_machines.py` compares the bits.
"""

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
FLAGS = ("-std=c99", "-Wall", "-Wextra", "-pedantic", "-O2")
SAME_BITS = "-ffp-contract=off"
"""Products and sums are rounded one by one, on machines with multiply-adds too."""


@cache
def _finds_headers(compiler: str) -> bool:
    """Whether a compiler has a C library's headers: Debian's cross-compilers come without."""
    text = "#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n"
    done = subprocess.run([compiler, "-fsyntax-only", "-x", "c", "-"], input=text, text=True, capture_output=True)
    return done.returncode == 0


@dataclass(frozen=True)
class Machine:
    """flags: of the compiler; link: more for the program; start: the file that stands beside it; runs: before the program, with
    more for counting instructions."""

    name: str
    compiler: str
    flags: tuple[str, ...] = ()
    link: tuple[str, ...] = ()
    start: str = "host.c"
    runs: tuple[str, ...] = ()

    @property
    def missing(self) -> list[str]:
        """Tools that are not on this machine; the compiler's headers count as one."""
        gone = [tool for tool in (self.compiler, *self.runs[:1]) if shutil.which(tool) is None]
        return gone or ([] if _finds_headers(self.compiler) else [f"headers of {self.compiler}"])


HOST = Machine("this machine", "gcc")
CLANG = Machine("this machine, clang", "clang", ("-march=native",))
AARCH64 = Machine("aarch64", "aarch64-linux-gnu-gcc", link=("-static",), runs=("qemu-aarch64",))
CORTEX_M7 = Machine(
    "Cortex-M7",
    "arm-none-eabi-gcc",
    ("-mcpu=cortex-m7", "-mfpu=fpv5-d16", "-mfloat-abi=hard"),
    ("--specs=rdimon.specs", "-nostartfiles", "-T", str(HERE / "cortex_m7.ld")),
    "cortex_m7.c",
    (
        *("qemu-system-arm", "-M", "mps2-an500", "-display", "none", "-monitor", "none", "-serial", "none"),
        *("-semihosting", "-icount", "shift=0", "-kernel"),
    ),
)


@dataclass(frozen=True)
class Outcome:
    """bits: status and commands of every step, in hexadecimal digits, the low byte of a number first. code, stack, state: bytes;
    instructions: of a step, on average, None where they are not counted."""

    steps: list[tuple[int, bytes]]
    code: int
    stack: int
    state: int
    instructions: float | None

    def commands(self, kind: type) -> np.ndarray:
        """Commands (n, drives) as numbers of a kind."""
        return np.array([np.frombuffer(raw, dtype=np.dtype(kind).newbyteorder("<")) for _, raw in self.steps])


@dataclass(frozen=True)
class Crossing:
    """A controller in a folder, and what a machine makes of it. readings (n, width): of its steps,
    all sensors of one side by side."""

    folder: Path
    machine: Machine
    readings: np.ndarray
    more: tuple[str, ...] = (SAME_BITS,)

    def run(self, count: bool = False) -> Outcome:
        """Compile and step it. count: instructions of a step, too (for aarch64 by a trace, which takes its time)."""
        code = self._object()
        text = self._run(self._program(self.readings, "all"))
        *lines, last = text.splitlines()
        steps = [(int(status, 16), bytes.fromhex(raw)) for status, raw in (line.split() for line in lines)]
        _, total, _, state = last.split()
        each = float(total) / len(steps) or None
        if count and each is None and self.machine == AARCH64:
            each = (self._traced(4) - self._traced(2)) / 2
        return Outcome(steps, code, self.stack, int(state), each)

    @property
    def widths(self) -> list[int]:
        """Numbers of each sensor."""
        text = (self.folder / "controller.h").read_text()
        sizes = re.findall(r"CONTROLLER_(\w+)_SIZE = (\d+)", text)
        return [int(n) for word, n in sizes if word != "COMMAND"]

    def _call(self, *arguments: str) -> str:
        done = subprocess.run(arguments, cwd=self.folder, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(arguments)}: exit status {done.returncode}\n{done.stderr[:2000]}")
        return done.stdout

    def _object(self) -> int:
        """Compile the controller; bytes of its code and constants."""
        machine = self.machine
        flags = (*FLAGS, *machine.flags, *self.more, "-fstack-usage", "-c", "controller.c", "-o", "controller.o")
        self._call(machine.compiler, *flags)
        size = "size" if machine.compiler == "clang" else machine.compiler.replace("gcc", "size")
        text, data, _ = self._call(size, "controller.o").splitlines()[1].split()[:3]
        return int(text) + int(data)

    def _program(self, readings: np.ndarray, word: str, *flags: str) -> str:
        machine, single = self.machine, "float command" in (self.folder / "controller.h").read_text()
        real, end = ("float", "f") if single else ("double", "")
        rows = [", ".join(float(np.float32(x) if single else x).hex() + end for x in row) for row in readings]
        table, ends = ",\n".join(f"    {{{row}}}" for row in rows), np.cumsum([0, *self.widths])[:-1]
        (self.folder / "readings.h").write_text(
            f"enum {{ READINGS = {len(rows)} }};\n#define READING_TYPE {real}\n"
            f"#define READ(row) {', '.join(f'(row) + {k}' for k in ends)}\n"
            f"static const {real} given[READINGS][{readings.shape[1]}] = {{\n{table}\n}};\n"
        )
        files = ("controller.o", str(HERE / "steps.c"), str(HERE / machine.start))
        own = (*FLAGS, *machine.flags, *self.more, *flags, "-I.")
        self._call(machine.compiler, *own, *files, *machine.link, "-lm", "-o", word)
        return word

    def _run(self, program: str) -> str:
        return self._call(*self.machine.runs, f"./{program}")

    def _traced(self, rows: int) -> int:
        """Instructions of a whole program with so many readings."""
        program = self._program(self.readings[:rows], "few", "-DQUIET")
        command = [self.machine.runs[0], "-singlestep", "-d", "exec,nochain", f"./{program}"]
        with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as run:
            assert run.stderr is not None
            return sum(line.startswith(b"Trace") for line in run.stderr)

    @cached_property
    def stack(self) -> int:
        """Bytes on the stack at most: frames of the step and of the deepest calls below it (-fstack-usage)."""
        frames: dict[str, int] = {}
        for line in (self.folder / "controller.su").read_text().splitlines():
            place, size, kind = line.split("\t")
            if kind not in ("static", "dynamic,bounded"):
                raise RuntimeError(f"a frame without a bound: {line}")
            name = place.split(":")[-1].split(".")[0]
            frames[name] = max(frames.get(name, 0), int(size))
        calls = _calls((self.folder / "controller.c").read_text())

        def deepest(name: str, above: Sequence[str] = ()) -> int:
            if name in above:
                raise RuntimeError(f"{name} calls itself")
            below = [deepest(other, (*above, name)) for other in calls[name]]
            return frames.get(name, 0) + max(below, default=0)

        return deepest("controller_step")


def _calls(text: str) -> dict[str, set[str]]:
    """{function: functions of this file that it calls}."""
    parts = re.split(
        r"^(?=(?:static )?(?:inline )?(?:const )?(?:double|float|void|int|uint64_t) \w+\()", text, flags=re.MULTILINE
    )
    bodies = {found.group(1): part for part in parts if (found := re.match(r"[\w ]*?(\w+)\(", part))}
    return {
        name: {other for other in bodies if other != name and re.search(rf"\b{other}\(", body.split("{", 1)[-1])}
        for name, body in bodies.items()
    }
