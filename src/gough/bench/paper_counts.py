"""The library's counts beside those of the papers, for `gough count` and benchmarks."""

from gough.papers.counting import BOTH, COORDINATES, beside_papers, counted

__all__ = ["BOTH", "COORDINATES", "beside_papers", "counted"]
