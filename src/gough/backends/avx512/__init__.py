"""Straight-line programs as AVX-512 assembly, with an own allocation of registers."""

from gough.backends.avx512.body import AVX512_OPERATIONS, write_function
from gough.backends.avx512.stages import write_stages

__all__ = ["AVX512_OPERATIONS", "write_function", "write_stages"]
