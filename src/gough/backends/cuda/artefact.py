"""Saved kernels: a folder with the text, its signature, the loader and, on request, machine code."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from gough.backends.cuda import runtime
from gough.errors import UsageError
from gough.files import make_folder, write_files

LOADER = "gough_kernel.py"
NVCC_OPTIONS = ("-std=c++17", "-fmad=false")


def save_kernel(
    signature: dict[str, Any], source: str, folder: Path, defaults: dict[str, Any], gpus: tuple[str, ...]
) -> Path:
    """Write the folder; files of an earlier save are replaced."""
    slots = {s["name"]: s for s in signature["inputs"]}
    for name, value in defaults.items():
        if name not in slots:
            raise UsageError(f"defaults: no input {name!r}; there are {', '.join(slots)}")
        if np.shape(value) != tuple(slots[name]["shape"]):
            raise UsageError(f"defaults: {name} has shape {np.shape(value)}; expected {tuple(slots[name]['shape'])}")
    kept = {name: np.asarray(value, dtype=float).tolist() for name, value in defaults.items()}
    make_folder(folder)
    for old in folder.glob("kernel.*.cubin"):
        old.unlink()
    files = {"signature.json": json.dumps(signature | {"defaults": kept}, indent=1), "kernel.cu": source}
    files[LOADER] = Path(runtime.__file__).read_text(encoding="utf-8")
    write_files({folder / name: text for name, text in files.items()})
    for gpu in gpus:
        compile_ahead(folder / "kernel.cu", folder / f"kernel.{gpu}.cubin", gpu)
    return folder


def compile_ahead(source: Path, image: Path, gpu: str) -> str:
    """Machine code of a text for a GPU by nvcc; returns the assembler's report (registers, spills)."""
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        raise UsageError(
            "compiling ahead needs nvcc (the CUDA toolkit) on the PATH; leave gpus=() to compile on loading"
        )
    command = [nvcc, "-cubin", f"-arch={gpu}", "-Xptxas", "-v", *NVCC_OPTIONS, "-o", str(image), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UsageError(f"nvcc does not compile {source} for {gpu}:\n{done.stderr}")
    return done.stderr
