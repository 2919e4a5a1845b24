"""CUDA for NVIDIA GPUs: programs as text, compiled by NVRTC through CuPy; one thread a state."""

from gough.backends.cuda.kernel import Kernel
from gough.backends.cuda.runtime import DeviceProblem, StateKernel, load

__all__ = ["DeviceProblem", "Kernel", "StateKernel", "load"]
