"""Who shares the work of a run: threads of a team, and legs abreast."""

from dataclasses import dataclass, replace

from gough.backends.cuda.march._functions import ROOM

REGISTERS, OTHERS = 65536, 32
"""Of a multiprocessor; of a thread for other things than values."""
WIDEST = 256
"""Threads of a block that may have 255 registers each."""


@dataclass(frozen=True)
class Team:
    """runs of a block, threads that share the work of each; near: cells that may lie in shared memory. legs: lanes of programs
    that run leg by leg, some of them abreast."""

    runs: int
    threads: int = 1
    near: int = 0
    legs: int = 1

    @property
    def abreast(self) -> int:
        """Legs at a time: as many as leave a thread all its registers."""
        return max(k for k in range(1, self.legs + 1) if self.legs % k == 0 and (k == 1 or k * self.runs <= WIDEST))

    @property
    def of_block(self) -> int:
        """Threads of a block: whole warps."""
        return max(_whole_warps(self.runs) * self.threads, _whole_warps(self.runs * self.abreast))

    @property
    def room(self) -> int:
        """Values a thread holds in its registers."""
        registers = min(REGISTERS // self.of_block, 255)
        return round(ROOM * (registers - OTHERS) / (255 - OTHERS))

    def with_legs(self, legs: int) -> "Team":
        """The same runs, legs that do the same abreast; what runs once is shared by as many whole warps."""
        team = replace(self, threads=1, legs=legs)
        return replace(team, threads=max(team.of_block // _whole_warps(self.runs), 2))


def _whole_warps(threads: int) -> int:
    return -(-threads // 32) * 32
