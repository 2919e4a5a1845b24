"""Compiling fresh and starting from the cache, in processes of their own: python -m gough_bench.start ROBOT FUNCTION OPTIONS."""

import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Mapping
from typing import Any

from gough.errors import GoughError

LIMIT = 600.0


def start_times(robot: str, function: str, options: Mapping[str, Any]) -> dict[str, float]:
    """Seconds of compile_s (trace and compile, empty cache), cached_start_s (the same, cache filled), import_s, build_s.

    robot: a gallery name or a path; options: of `gough.load`. Both start from a model; making the model is build_s.
    """
    with tempfile.TemporaryDirectory(prefix="gough-bench-") as folder:
        fresh, cached = (_run(robot, function, options, folder) for _ in range(2))
    return {
        "import_s": cached["import"],
        "build_s": cached["build"],
        "trace_s": fresh["trace"],
        "compile_s": fresh["trace"] + fresh["compile"],
        "cached_start_s": cached["trace"] + cached["compile"],
        "cached_load_s": cached["compile"],
    }


def _run(robot: str, function: str, options: Mapping[str, Any], folder: str) -> dict[str, float]:
    environment = os.environ | {"GOUGH_CACHE_DIR": folder}
    command = [sys.executable, "-m", "gough_bench.start", robot, function, json.dumps(dict(options), default=str)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT)
    if done.returncode:
        raise GoughError(f"starting {robot} {function} in a process of its own failed: {done.stderr.strip()[-300:]}")
    return json.loads(done.stdout.splitlines()[-1])


def _main(robot: str, function: str, options: str) -> dict[str, Any]:
    warnings.simplefilter("ignore")
    begin = time.perf_counter()
    import gough
    from gough_bench.states import lossless_robot

    imported = time.perf_counter()
    model = gough.build(lossless_robot(gough.load(robot, **json.loads(options))))
    built = time.perf_counter()
    traced = model.function(function)
    recorded = time.perf_counter()
    traced.compile()
    done = time.perf_counter()
    return {
        "import": imported - begin,
        "build": built - imported,
        "trace": recorded - built,
        "compile": done - recorded,
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_main(*sys.argv[1:4])) + "\n")
