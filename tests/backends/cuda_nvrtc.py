"""NVRTC without a GPU: the library CuPy compiles with, where the nvidia-cuda-nvrtc wheel (128 MB) or a toolkit has it."""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib.util
from pathlib import Path


def library() -> ctypes.CDLL | None:
    """The newest NVRTC there is, None without."""
    found: list[str] = []
    spec = importlib.util.find_spec("nvidia")
    for place in spec.submodule_search_locations or () if spec else ():
        found += map(str, sorted(Path(place).glob("*/lib/libnvrtc.so.*"), reverse=True))
    named = ctypes.util.find_library("nvrtc")
    for path in [*found, *([named] if named else [])]:
        try:
            return ctypes.CDLL(path)
        except OSError:
            continue
    return None


def compiled(nvrtc: ctypes.CDLL, source: str, options: tuple[str, ...]) -> bytes:
    """Machine code of a text; AssertionError with the compiler's words."""
    program = ctypes.c_void_p()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None) == 0
    words = [x.encode() for x in options]
    failed = nvrtc.nvrtcCompileProgram(program, len(words), (ctypes.c_char_p * len(words))(*words))
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    assert not failed, log.value.decode()[:2000]
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    code = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, code)
    return code.raw
