"""`import gough` is quick: heavy packages load when first used."""

import json
import subprocess
import sys

HEAVY = {
    *("llvmlite", "matplotlib", "scipy", "typer", "rich"),
    *("mujoco", "pinocchio", "casadi", "jax", "cupy", "skfem", "viser", "exudyn"),
    *("dask", "distributed"),
}


def test_import_gough_loads_nothing_heavy():
    code = "import json, sys, gough; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    loaded = HEAVY & set(json.loads(run.stdout))
    assert not loaded, (
        f"`import gough` loads {sorted(loaded)}: import them inside the function that needs them "
        "(`python -X importtime -c 'import gough'` shows who does)"
    )


def test_the_commands_are_listed_without_the_library():
    """`gough --help` is quick: a command loads what it needs when it runs."""
    code = "import json, sys, gough.cli.main; print(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    loaded = {"gough.robot", "gough.model", "pydantic", *(HEAVY - {"typer"})} & set(json.loads(run.stdout))
    assert not loaded, f"importing the commands loads {sorted(loaded)}: import them inside the command that needs them"
