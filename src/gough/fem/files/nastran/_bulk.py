"""pyNastran, loaded late, and what it reads of bulk data: grids and lumped masses."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.fem._reading import guard, lines_of, regular_file, shorten, whole

LARGEST_LABEL = 100_000_000
DROPPED = "in1d"
GROWS = 10
"""Memory that pyNastran takes, a byte of a file."""
REMEDY = (
    "this needs pyNastran: pip install --no-deps pyNastran cpylog docopt-ng (without --no-deps its release 1.4.1 asks for an "
    "older numpy than gough's). Or write modal data as NPZ, or matrices as DMIG, with a table of nodes"
)


def pynastran(module: str) -> Any:
    """A module of pyNastran, or an error with the remedy."""
    try:
        with _names_numpy_dropped():
            return importlib.import_module(module)
    except ImportError as failure:
        raise UsageError(f"{REMEDY} ({failure})") from None
    except AttributeError as failure:
        raise UsageError(
            f"the pyNastran installed does not work with numpy {np.__version__} ({failure}); {REMEDY}"
        ) from None


@contextmanager
def _names_numpy_dropped() -> Iterator[None]:
    """pyNastran 1.4.1 takes `numpy.in1d` while it is imported, which numpy 2.4 no longer has; its successor is `isin`."""
    if hasattr(np, DROPPED):
        yield
        return
    setattr(np, DROPPED, np.isin)
    try:
        yield
    finally:
        delattr(np, DROPPED)


def read_by(module: str, function: str, path: str | Path, **options: Any) -> Any:
    """What a reader of pyNastran makes of a file; its failures name the file."""
    regular_file(path, GROWS)
    reader = getattr(pynastran(module), function)
    try:
        return reader(str(path), debug=None, **options)
    except Exception as failure:  # its readers raise errors of every kind
        raise UsageError(
            f"{path} cannot be read by pyNastran: {type(failure).__name__}: {shorten(str(failure))}"
        ) from failure


@dataclass(frozen=True)
class Grids:
    """labels (n,), positions (n, 3) and displacement axes (n, 3, 3) (columns, basic axes)."""

    labels: np.ndarray
    positions: np.ndarray
    axes: np.ndarray


@dataclass(frozen=True)
class Masses:
    """Masses (n,) and inertias (n, 3, 3) at grids, and masses beside them: owner index (k,), arm (k, 3), mass, inertia."""

    masses: np.ndarray
    inertias: np.ndarray
    owners: np.ndarray
    arms: np.ndarray
    beside: np.ndarray
    beside_inertias: np.ndarray


def read_bulk(path: str | Path) -> Any:
    """pyNastran's model with references resolved."""
    _refuse_hostile(path)
    return read_by("pyNastran.bdf.bdf", "read_bdf", path, punch=Path(path).suffix.lower() == ".pch", log=None)


def _refuse_hostile(path: str | Path) -> None:
    """Files in files, and ranges of labels that pyNastran would write out one by one."""
    for number, raw in lines_of(path, "latin-1"):
        line = raw.split("$")[0].upper()
        if line.startswith("INCLUDE"):
            raise UsageError(f"{path}:{number}: INCLUDE is not followed; write one file")
        if "THRU" in line:
            after = line.partition("THRU")[2].replace(",", " ").split()
            if after and after[0].isdigit() and whole(after[0], f"{path}:{number}") > LARGEST_LABEL:
                raise UsageError(f"{path}:{number}: labels up to {after[0][:20]}; Nastran's end at {LARGEST_LABEL}")


@guard("Nastran bulk data", "write one file of bulk data without INCLUDE, or a table of nodes (label x y z)")
def read_grids(path: str | Path) -> Grids:
    """Grids of a bulk data file in basic axes."""
    return grids_of(read_bulk(path))


def grids_of(model: Any) -> Grids:
    """Grids of pyNastran's model, by label."""
    labels = np.array(sorted(model.nodes), dtype=int)
    if not len(labels):
        raise UsageError("the bulk data has no GRID")
    axes = np.tile(np.eye(3), (len(labels), 1, 1))
    for k, label in enumerate(labels.tolist()):
        grid = model.nodes[label]
        if grid.Cd():
            frame = grid.cd_ref
            if frame.type[-1] != "R":
                raise UsageError(
                    f"grid {label} has displacements in {frame.type} {frame.cid}: write them in rectangular axes"
                )
            axes[k] = frame.beta().T
    return Grids(labels, np.array([model.nodes[label].get_position() for label in labels.tolist()]), axes)


def masses_of(model: Any, labels: np.ndarray) -> Masses:
    """Elements' masses in equal parts on their grids, point masses (CONM2) at their place; times PARAM,WTMASS."""
    index = {label: k for k, label in enumerate(labels.tolist())}
    masses, inertias = np.zeros(len(labels)), np.zeros((len(labels), 3, 3))
    beside: list[tuple[int, np.ndarray, float, np.ndarray]] = []
    for element in model.elements.values():
        try:
            mass = float(element.Mass())
        except (AttributeError, NotImplementedError):
            continue  # springs, dampers and rigid elements have none
        grids = {index[label] for label in element.node_ids if label in index}
        polar = _polar(element)
        for k in grids:
            masses[k] += mass / len(grids)
            inertias[k] += polar / len(grids)
    for point in model.masses.values():
        if point.type != "CONM2":
            raise UsageError(f"{point.type} {point.eid}: only CONM2 point masses are read")
        arm = np.asarray(point.Centroid()) - np.asarray(point.nid_ref.get_position())
        k, tensor = index[point.Nid()], _tensor(point)
        if np.abs(arm).max() < 1e-12:
            masses[k] += point.Mass()
            inertias[k] += tensor
        else:
            beside.append((k, arm, point.Mass(), tensor))
    scale = float(model.params["WTMASS"].values[0]) if "WTMASS" in model.params else 1.0
    return Masses(
        masses * scale,
        inertias * scale,
        np.array([k for k, *_ in beside], dtype=int),
        np.array([arm for _, arm, *_ in beside]).reshape(-1, 3),
        np.array([mass for *_, mass, _ in beside]) * scale,
        np.array([tensor for *_, tensor in beside]).reshape(-1, 3, 3) * scale,
    )


def _polar(element: Any) -> np.ndarray:
    """Inertia (3, 3) of a CBEAM about its own axis, which Nastran's mass has (a CBAR's has none)."""
    if element.type != "CBEAM":
        return np.zeros((3, 3))
    ends = [np.asarray(grid.get_position()) for grid in element.nodes_ref]
    way = ends[1] - ends[0]
    section = element.pid_ref
    return section.Rho() * (section.I11() + section.I22()) / np.linalg.norm(way) * np.outer(way, way)


def _tensor(point: Any) -> np.ndarray:
    """Inertia (3, 3) of a CONM2 about its mass centre in basic axes; the card has products with the sign left out."""
    xx, xy, yy, xz, yz, zz = np.asarray(point.I, dtype=float)
    tensor = np.array([[xx, -xy, -xz], [-xy, yy, -yz], [-xz, -yz, zz]])
    if point.Cid() <= 0:
        return tensor
    beta = point.cid_ref.beta()
    return beta.T @ tensor @ beta
