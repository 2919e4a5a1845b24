"""SIMD code for the host's CPU through LLVM; one state a lane."""

from gough.backends.llvm.kernel import Kernel

__all__ = ["Kernel"]
