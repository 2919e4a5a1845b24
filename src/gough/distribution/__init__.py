"""Chunks of work, parts on disk, workers: threads of this process, or a Dask cluster. Knows no robots."""

from gough.distribution.chunks import ChunkWork, DoneChunk, a_cluster, open_cluster, run_chunks
from gough.distribution.parts import PartFolder

__all__ = ["ChunkWork", "DoneChunk", "PartFolder", "a_cluster", "open_cluster", "run_chunks"]
