"""Try what is about to be released: `python .ci/try_release.py build`, then `install`, then `extras`.

version   that all files state the same version, and the tag, where one is given
build     wheel and sdist, made twice and compared bit by bit; what is in them; `twine check`
install   the wheel in clean environments, with the newest and with the lowest versions that pyproject admits; jobs of the
          README in an empty folder, and tests of the library against the installed wheel
extras    every extra, one by one, resolves, newest and lowest

It needs `pip install uv build hatchling twine` and the interpreters, as versions or paths: `install --pythons 3.11 3.12`.
All of it works in `out/release`, and changes nothing else.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLACE = ROOT / "out" / "release"
LARGEST = 5e6
"""Bytes a wheel may have."""
RESOLUTIONS = {"newest": "highest", "lowest": "lowest-direct"}
TESTS = ("tests/model", "tests/robot", "tests/formats", "tests/golden/test_numbers.py")
TEST_TOOLS = ("pytest>=8.3", "hypothesis>=6.110", "casadi>=3.7", "mpmath>=1.3", "pyarrow>=17")
DOCUMENT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

ROBOT = """
format: 2
name: axis
gravity: [0, 0, 0]
bodies: [{name: slider, mass: 2.0}]
joints:
  - {name: screw, type: prismatic, parent: world, child: slider, axis: [1, 0, 0], drive: {viscous: 20}}
"""

SCRIPT = """
import numpy as np
import gough

assert "site-packages" in gough.__file__, gough.__file__
model = gough.build("lopes")
q = model.configuration(coordinates={"z": 2.05, "yaw": 0.1})
v = [0.0, 0.1, 0.2, 0.0, 0.0, 0.3]
tau = model.inverse_dynamics(q, v, [0, 0, 1.5, 0, 0, 0]).tau
assert np.allclose(tau, [7.84, 9.19, 7.82, 9.17, 7.85, 9.19], atol=0.005), tau
assert np.allclose(model.forward_dynamics(q, v, tau).vdot, [0, 0, 1.5, 0, 0, 0], atol=1e-9)
assert gough.natural_frequencies(gough.build("dualemps")).frequencies_hz[0] > 0

# A mass of 3 kg with a viscous friction of 30 N s/m, 20 s at 500 Hz: what `gough identify` must find again.
t = np.arange(10_000) / 500
w, size = 2 * np.pi * np.array([0.4, 1.1, 2.3]), np.array([0.1, 0.03, 0.01])
x, rate = np.sin(np.outer(t, w)) @ size, np.cos(np.outer(t, w)) @ (size * w)
force = 3.0 * -np.sin(np.outer(t, w)) @ (size * w**2) + 30.0 * rate + np.random.default_rng(0).normal(0, 0.1, len(t))
np.savetxt("log.csv", np.column_stack([t, x, force]), delimiter=",", header="time,screw.position,screw.force", comments="")
"""

JOBS = (
    "--version",
    "list",
    "check axis.yaml",
    "show five_bar",
    "count five_bar --json",
    "eval lopes inverse_dynamics --state states.csv",
    "modes five_bar --stiffness 1000",
    "map five_bar --json",
    "simulate five_bar --duration 0.2 --out run.npz",
    "identify axis.yaml log.csv --robot-out found.yaml",
    "export five_bar inverse_dynamics --out c",
    "convert delta delta.urdf",
    "verify five_bar",
    "where lopes",
    "cite lopes",
)


def call(*words: object, cwd: Path = ROOT, **more: str) -> str:
    """Run a command; what it says, or the end of all with what it said."""
    left_out = ("PYTHONPATH", "VIRTUAL_ENV", "PYTHONHOME")
    surroundings = {name: value for name, value in os.environ.items() if name not in left_out} | more
    line = [str(word) for word in words]
    done = subprocess.run(line, cwd=cwd, env=surroundings, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"FAILED ({done.returncode}): {' '.join(line)}\n{done.stdout}")
    return done.stdout


def demand(what: str, holds: bool) -> None:
    """Say that something holds, or end with it."""
    if not holds:
        sys.exit(f"FAILED: {what}")
    print(f"  {what}")


def hash_of(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def built(folder: Path, epoch: str) -> dict[str, Path]:
    """{suffix: file} of wheel and sdist, from a copy of what git tracks at a place of its own."""
    shutil.rmtree(folder, ignore_errors=True)
    source = folder / "source"
    for name in call("git", "ls-files", "-z").split("\0"):
        if name and (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    call(sys.executable, "-m", "build", "--outdir", folder / "dist", source, SOURCE_DATE_EPOCH=epoch)
    return {path.suffix: path for path in (folder / "dist").iterdir()}


def version(told: argparse.Namespace) -> None:
    """One version everywhere."""
    wanted = DOCUMENT["version"]
    stated = {
        "src/gough/__init__.py": rf'^__version__ = "{re.escape(wanted)}"$',
        "CITATION.cff": rf"^version: {re.escape(wanted)}$",
        "CHANGELOG.md": rf"^## \[{re.escape(wanted)}\] - \d{{4}}-\d\d-\d\d$",
    }
    for name, pattern in stated.items():
        demand(f"{name}: {wanted}", bool(re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)))
    if told.tag:
        demand(f"the tag is v{wanted}", told.tag == f"v{wanted}")


def build(_: argparse.Namespace) -> None:
    """Both files twice, and what is in them."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or call("git", "log", "-1", "--format=%ct").strip()
    first, second = built(PLACE / "one", epoch), built(PLACE / "two", epoch)
    for suffix, path in first.items():
        demand(
            f"{path.name}: {path.stat().st_size / 1e6:.2f} MB, sha256 {hash_of(path)[:16]}, the same twice",
            hash_of(path) == hash_of(second[suffix]),
        )
    wheel, name = first[".whl"], f"gough-{DOCUMENT['version']}"
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        entries = archive.read(f"{name}.dist-info/entry_points.txt").decode()
        metadata = archive.read(f"{name}.dist-info/METADATA").decode()
    roots = {path.split("/")[0] for path in names}
    demand(
        "packages are the library and what stands beside it",
        roots == {"gough", "gough_bench", "gough_papers", f"{name}.dist-info"},
    )
    demand(
        "no tests",
        not [path for path in names if "test" in Path(path).parts[:-1] or Path(path).name.startswith("test_")],
    )
    demand(f"smaller than {LARGEST / 1e6:g} MB", wheel.stat().st_size < LARGEST)
    demand("py.typed", {"gough/py.typed"} <= names)
    demand("its licence", f"{name}.dist-info/licenses/LICENSE" in names)
    demand("the command gough", "gough = gough.__main__:run_command" in entries)
    demand(
        "metadata name the version and the licence",
        f"Version: {DOCUMENT['version']}\n" in metadata and "License-Expression: BSD-3-Clause" in metadata,
    )
    with tarfile.open(first[".gz"]) as archive:
        inside = {path.partition("/")[2] for path in archive.getnames()}
    wanted = (
        "LICENSE",
        "README.md",
        "CHANGELOG.md",
        "CITATION.cff",
        "SECURITY.md",
        "tests/conftest.py",
        "docs/index.md",
    )
    demand("the sdist has tests, pages, licence", set(wanted) <= inside)
    demand(
        "twine check --strict",
        "FAILED" not in call(sys.executable, "-m", "twine", "check", "--strict", *first.values()),
    )


def environment(folder: Path, python: str, versions: str) -> Path:
    """The interpreter of a new environment with the wheel in it."""
    shutil.rmtree(folder, ignore_errors=True)
    call("uv", "venv", "--python", python, folder)
    own = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    [wheel] = (PLACE / "one" / "dist").glob("*.whl")
    how = ("--only-binary", ":all:", "--resolution", RESOLUTIONS[versions], "-r", ROOT / "pyproject.toml")
    call("uv", "pip", "install", "--python", own, *how)
    call("uv", "pip", "install", "--python", own, "--no-deps", wheel)
    call("uv", "pip", "check", "--python", own)
    return own


def do_jobs(python: Path, folder: Path) -> None:
    """Jobs of a user in a folder that knows nothing of the repository."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    surroundings = {"GOUGH_CACHE_DIR": str(folder / "cache"), "MPLBACKEND": "Agg"}
    (folder / "axis.yaml").write_text(ROBOT, encoding="utf-8")
    (folder / "states.csv").write_text("x,y,z,yaw,pitch,roll\n0,0,2,0,0,0\n", encoding="utf-8")
    call(python, "-W", "error::DeprecationWarning", "-c", SCRIPT, cwd=folder, **surroundings)
    command = python.with_name("gough.exe" if os.name == "nt" else "gough")
    for job in JOBS:
        said = call(command, *job.split(), cwd=folder, **surroundings)
        if re.search(r"Traceback|(?:Deprecation|Future|Runtime)Warning", said):
            sys.exit(f"FAILED: gough {job}\n{said}")
    found = (folder / "found.yaml").read_text(encoding="utf-8")
    mass = float(re.search(r"\bM: ([\d.]+)", found)[1])  # pyright: ignore[reportOptionalSubscript]
    demand(f"{len(JOBS)} jobs; the mass that was 3 kg is identified as {mass:.4f}", abs(mass - 3) < 0.01)


def install(told: argparse.Namespace) -> None:
    """The wheel in clean environments."""
    for python in told.pythons:
        for versions in told.versions:
            name = f"{re.sub(r'[^0-9.]', '', Path(python).name) or Path(python).parts[-3]}-{versions}"
            own = environment(PLACE / name, python, versions)
            print(f"{name}: {call(own, '--version').strip()}", flush=True)
            do_jobs(own, PLACE / f"{name}-jobs")
            if told.tests:
                freeze = call("uv", "pip", "freeze", "--python", own)
                kept = PLACE / f"{name}-constraints.txt"
                kept.write_text(
                    "".join(f"{line}\n" for line in freeze.splitlines() if "gough" not in line), encoding="utf-8"
                )
                call("uv", "pip", "install", "--python", own, "--only-binary", ":all:", "-c", kept, *TEST_TOOLS)
                options = ("-q", "-m", "not slow", "-p", "no:cacheprovider", *told.options)
                said = call(own, "-m", "pytest", *options, *told.tests, OMP_NUM_THREADS="1", MPLBACKEND="Agg")
                demand(said.strip().splitlines()[-1].strip("= "), True)


def extras(told: argparse.Namespace) -> None:
    """Every extra resolves; nothing is installed."""
    for python in told.pythons:
        for extra in DOCUMENT["optional-dependencies"]:
            for versions in told.versions:
                how = (
                    "--extra",
                    extra,
                    "--resolution",
                    RESOLUTIONS[versions],
                    "--python",
                    python,
                    "--only-binary",
                    ":all:",
                )
                said = call(
                    "uv", "pip", "compile", "--quiet", "--no-header", "--no-annotate", *how, ROOT / "pyproject.toml"
                )
                print(f"  {python} {extra} {versions}: {len(said.splitlines())} packages", flush=True)


def read_arguments() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(required=True)
    for step in (version, build, install, extras):
        one = steps.add_parser(step.__name__, help=(step.__doc__ or "").splitlines()[0])
        one.set_defaults(step=step)
        if step is version:
            one.add_argument("tag", nargs="?")
        if step in (install, extras):
            one.add_argument("--pythons", nargs="+", default=[f"{sys.version_info[0]}.{sys.version_info[1]}"])
            one.add_argument("--versions", nargs="+", choices=list(RESOLUTIONS), default=list(RESOLUTIONS))
        if step is install:
            one.add_argument(
                "--tests", nargs="*", default=list(TESTS), help="files and folders of tests; none: jobs alone"
            )
            one.add_argument("--options", nargs="*", default=[], help="more words for pytest")
    return parser.parse_args()


if __name__ == "__main__":
    chosen = read_arguments()
    chosen.step(chosen)
