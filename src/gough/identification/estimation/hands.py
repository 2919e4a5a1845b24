"""Who goes through parts of equations and simulates runs: threads of this process, or the workers of a cluster.

Parts are cut by the task alone, and what comes of them is put together in their order, so that results are the same bit for bit.
Samples travel with the parts they are of, and so few at a time that any number of them may lie on a disk.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from gough.compilation.threads import calls_here, map_parts
from gough.distribution import ChunkWork, open_cluster, run_chunks
from gough.identification.data.samples import Samples
from gough.identification.estimation.rows import EquationPart, Rows, Thinning

ARRAYS = ("time", "q", "v", "acceleration", "force", "wrench", "run")
Do = Callable[..., Any]


@dataclass(frozen=True)
class Hands:
    """client: of a cluster, None for threads of this process; mixed: whether its workers may be of several kinds."""

    client: Any = None
    mixed: bool = False

    def over(self, do: Do, parts: Sequence[EquationPart], *given: Any) -> list[Any]:
        """do(part, *given) of every part, in their order. What is kept in memory is little, and done here."""
        if self.client is None or any(part.kept is not None for part in parts):
            return map_parts(partial(_do_here, do, given), parts)
        rows, thinning = parts[0].rows, parts[0].thinning
        return self.work(EquationWork(rows, thinning), PartChunks(do, parts, given))

    def work(self, work: ChunkWork, chunks: Sequence[Any]) -> list[Any]:
        """Results of chunks on the cluster, in their order."""
        done = run_chunks(work, chunks, cluster=self.client, mixed=self.mixed)
        return [x for _, x in sorted(((d.number, d.result) for d in done), key=lambda pair: pair[0])]


HERE = Hands()


@contextmanager
def open_hands(cluster: Any, mixed: bool) -> Iterator[Hands]:
    """Those of a cluster, which begins and ends here where it is one of this machine; of this process for None."""
    with open_cluster(cluster) as client:
        yield Hands(client, mixed)


def _do_here(do: Do, given: tuple[Any, ...], part: EquationPart) -> Any:
    with calls_here(steady=part.kept is None):
        return do(part, *given)


@dataclass(frozen=True)
class EquationWork:
    """Parts of equations, as `PartChunks` sends them."""

    rows: Rows
    thinning: Thinning

    def prepare(self) -> Do:
        """A function of (chunk, tick)."""
        return self._do

    def _do(self, chunk: tuple[Any, ...], tick: Any) -> Any:
        do, sent, spans, given = chunk
        samples = tuple(sent_samples(x, self.rows.model) for x in sent)
        with calls_here(threads=1, steady=True):
            return do(EquationPart(self.rows, self.thinning, samples, spans), *given)


@dataclass(frozen=True)
class PartChunks(Sequence[Any]):
    """Parts as they travel, each made when its turn comes."""

    do: Do
    parts: Sequence[EquationPart]
    given: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.parts)

    def __getitem__(self, k: Any) -> tuple[Any, ...]:
        own = self.parts[k].alone()
        return self.do, tuple(map(pack_samples, own.samples)), own.spans, self.given


def pack_samples(samples: Samples) -> dict[str, Any]:
    """Samples without their model, in memory."""
    arrays = {name: getattr(samples, name) for name in ARRAYS}
    rest = {"runs": samples.runs, "band_hz": samples.band_hz, "block": samples.block}
    return {name: None if x is None else np.array(x) for name, x in arrays.items()} | rest


def sent_samples(sent: dict[str, Any], model: Any) -> Samples:
    """Samples that were packed."""
    return Samples(model, **sent)
