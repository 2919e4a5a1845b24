"""Modes of a Nastran run: grids and masses of the bulk data, eigenvectors and eigenvalues of the .op2."""

from pathlib import Path
from typing import Any

import numpy as np

from gough.errors import ModalDataWarning, UsageError, warn
from gough.fem._geometry import hat
from gough.fem._reading import SI, UnitFactors, guard, real_numbers
from gough.fem.files.nastran._bulk import grids_of, masses_of, read_bulk, read_by
from gough.fem.modal.data import ModalData, Stated, elastic_share, in_si


@guard("modes of a Nastran run", "run SOL 103 again with DISPLACEMENT(PLOT)=ALL, or write modal data as NPZ")
def read_nastran_modes(
    bulk: str | Path, op2: str | Path, subcase: int | None = None, units: UnitFactors = SI
) -> ModalData:
    """Modal data of a normal modes run (SOL 103). Masses are lumped from the bulk data; rigid modes are left out.

    What the run states of mass (GPWG) and frequencies is kept for comparison.
    """
    model = read_bulk(bulk)
    grids = grids_of(model)
    masses = masses_of(model, grids.labels)
    results = read_by("pyNastran.op2.op2", "read_op2", op2, log=None)
    table = _table(results, subcase, str(op2))
    shapes = _shapes(table, grids.labels, grids.axes, str(op2))
    values = real_numbers(table.eigns, f"{op2}: eigenvalues")
    nodes = grids.positions
    if len(masses.owners):  # masses beside a grid become nodes that turn with it
        at = shapes[masses.owners]
        moved = at[:, :3] - hat(masses.arms) @ at[:, 3:]
        shapes = np.concatenate([shapes, np.concatenate([moved, at[:, 3:]], axis=1)])
        nodes = np.concatenate([nodes, nodes[masses.owners] + masses.arms])
    mass = np.concatenate([masses.masses, masses.beside])
    keep = elastic_share(nodes, mass, shapes) > 1e-3
    if not keep.all():
        warn(f"{int((~keep).sum())} rigid modes of {op2} left out", ModalDataWarning)
    modal = _generalized_mass(results, table, len(values))[keep]
    data = ModalData(
        nodes=nodes,
        masses=mass,
        inertias=np.concatenate([masses.inertias, masses.beside_inertias]),
        shapes=shapes[:, :, keep],
        K=np.diag(values[keep] * modal),
        M=np.diag(modal),
        stated=_read_stated(results, np.sqrt(np.abs(values[keep])) / (2.0 * np.pi)),
        labels=tuple(f"mode {k}" for k in np.asarray(table.modes)[keep].tolist()),
    )
    return in_si(data, units)


def _table(results: Any, subcase: int | None, where: str) -> Any:
    tables = results.eigenvectors
    if not tables:
        raise UsageError(f"{where} has no eigenvectors: run SOL 103 with DISPLACEMENT(PLOT)=ALL")
    numbers = {int(np.ravel(key)[0]) if np.isscalar(key) else int(key[0]): table for key, table in tables.items()}
    if subcase is None and len(numbers) > 1:
        raise UsageError(f"{where} has eigenvectors of subcases {sorted(numbers)}; choose with subcase=")
    number = next(iter(numbers)) if subcase is None else subcase
    if number not in numbers:
        raise UsageError(f"{where} has no eigenvectors of subcase {number}; it has {sorted(numbers)}")
    table = numbers[number]
    if np.iscomplexobj(table.data):
        raise UsageError(f"{where}: complex modes. Run real normal modes (SOL 103); damping is given apart")
    return table


def _shapes(table: Any, labels: np.ndarray, axes: np.ndarray, where: str) -> np.ndarray:
    """Displacements and rotations (n, 6, m) in basic axes; grids without results do not move."""
    shapes = np.zeros((len(labels), 6, len(table.data)))
    order = {label: k for k, label in enumerate(labels.tolist())}
    seen = 0
    for row, label in enumerate(table.node_gridtype[:, 0].tolist()):
        if label in order:
            k = order[label]
            motion = table.data[:, row].T.astype(float)
            shapes[k, :3], shapes[k, 3:] = axes[k] @ motion[:3], axes[k] @ motion[3:]
            seen += 1
    if seen < len(labels):
        raise UsageError(f"{where} has eigenvectors of {seen} of {len(labels)} grids: print them for ALL")
    return shapes


def _generalized_mass(results: Any, table: Any, count: int) -> np.ndarray:
    """Modal masses (m,) of the run's eigenvalue table; 1 (Nastran's default normalisation) where it has none."""
    for values in results.eigenvalues.values():
        mass = np.asarray(getattr(values, "generalized_mass", []), dtype=float)
        if len(mass) == count:
            return mass
    return np.ones(count)


def _read_stated(results: Any, frequencies_hz: np.ndarray) -> Stated:
    for weight in getattr(results, "grid_point_weight", {}).values():
        mass = np.asarray(weight.mass, dtype=float)
        if mass.size:
            return Stated(mass=float(mass.ravel()[0]), frequencies_hz=frequencies_hz)
    return Stated(frequencies_hz=frequencies_hz)
