"""Importing the description layer loads nothing heavy; reading a file loads the YAML reader only."""

import subprocess
import sys

HEAVY = ("scipy", "matplotlib", "llvmlite", "ruamel", "casadi", "mujoco", "pinocchio", "jax", "cupy", "skfem")


def loaded(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(*(name for name in {HEAVY!r} if name in sys.modules))"
    return set(
        subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout.split()
    )


def test_import():
    assert loaded("import gough.robot, gough.robots") == set()


def test_load():
    assert loaded("import gough.robot; gough.robot.load('lopes')") == {"ruamel"}
