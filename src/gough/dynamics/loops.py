"""Motion of the closed robot: all tree velocities and accelerations from the independent ones, and forces the other way.

Computes  u and u̇ from v and v̇; Γᵀ f, the tree forces f seen by v; the multipliers of the closures.
Sources   [Briot 2014]; [Long 2014]; [Fried, section 6]; [Pedrammehr 2012, section 5].
Derivation  closures G u = 0 and G u̇ + γ = 0 (closures.py). v is a part of u; the rest, d, follows block by block:
            G_b d_b = -(rows of b applied to what is known so far). Rows of a leg give J q̇ = P v, one block a leg.
            Virtual power: u = Γ v, Γᵀ f = f_v - G_vᵀ λ with G_dᵀ λ = f_d, solved through the blocks in reverse.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gough.dynamics.closures import CutGeometry, PointMotion
from gough.dynamics.posture import Posture
from gough.errors import Status
from gough.friction.coulomb import structurally_zero
from gough.scalar import dot, note, solve, zeros
from gough.structure import Block, CutJoint, LinearClosure
from gough.structure.selection import Relation

Vector = np.ndarray


class CoupledRow:
    """A coupling at a posture, as closures of cuts are asked: one row, constant in q, so that it has no velocity terms."""

    on_platform = False

    def __init__(self, posture: Posture, coupling: LinearClosure) -> None:
        self.posture, self.cut = posture, coupling
        numbers = posture.numbers.parameters
        self.coefficients = {
            t.u: t.sign if t.parameter is None else t.sign * numbers[t.parameter] for t in coupling.terms
        }

    def columns(self) -> list[int]:
        """Tree velocities that it contains."""
        return self.cut.columns

    def coefficient(self, _: int, column: int) -> Any:
        """Entry of G."""
        return self.coefficients.get(column, zeros(1)[0])

    def jacobian(self, columns: list[int]) -> np.ndarray:
        """Its row of G (1, columns)."""
        return np.array([[self.coefficient(0, column) for column in columns]], dtype=object)

    def residual(self) -> Vector:
        """offset - sum of c q (1,); 0 when it holds."""
        q, offset = self.posture.q, self.posture.numbers.parameters[self.cut.offset]
        return np.array([offset - dot(self._coefficients(), q[[t.q for t in self.cut.terms]])], dtype=object)

    def square(self) -> Any:
        """Sum of the squares of its coefficients: what its residual is judged by."""
        return dot(self._coefficients(), self._coefficients())

    def force(self, multiplier: Any) -> Any:
        """Of the coupling along its first coordinate (N or N m)."""
        return self.coefficients[self.cut.terms[0].u] * multiplier

    def _coefficients(self) -> Vector:
        return np.array([self.coefficients[t.u] for t in self.cut.terms], dtype=object)


class Loops:
    """All cuts and couplings at a posture."""

    def __init__(self, posture: Posture) -> None:
        self.posture = posture
        self.mechanism = posture.mechanism
        self.selection = posture.mechanism.selection
        self.cuts: list[CutGeometry] = []
        for cut in self.mechanism.cuts:
            with note(f"{self._place(cut.leg, cut.name)}: closure [Briot 2014, eq. 28], [Long 2014, eq. 3]"):
                self.cuts.append(CutGeometry(posture, cut))
        self.couplings = [CoupledRow(posture, coupling) for coupling in self.mechanism.couplings]
        self.owners: list[CutGeometry | CoupledRow] = [*self.cuts, *self.couplings]
        self._row = [(k, i) for k, owner in enumerate(self.mechanism.owners) for i in range(owner.rows)]

    def _place(self, leg: int, name: str) -> str:
        return self.mechanism.legs[leg].name if leg >= 0 else name

    def label(self, block: Block) -> str:
        """The loops that a block closes."""
        closures = [r for r in block.rows if self._relation(r) is None]
        if not closures:
            return ", ".join(self.mechanism.layout.u_names[c] for c in block.columns)
        places = [self._place(cut.leg, cut.name) for cut in (self.owners[self._row[r][0]].cut for r in closures)]
        names = list(dict.fromkeys(places))
        return ", ".join(names[:3]) + (" …" if len(names) > 3 else "")

    def label_of(self, cut: CutJoint | LinearClosure) -> str:
        """The leg or loop that a cut closes, or the coupling."""
        return self._place(cut.leg, cut.name)

    def matrix(self, block: Block) -> np.ndarray:
        """G_b (rows, columns) of a block."""
        return self.entries(block.rows, block.columns)

    def entries(self, rows: Sequence[int], columns: Sequence[int]) -> np.ndarray:
        """Entries of G (rows, columns)."""
        out = zeros(len(rows), len(columns))
        for i, row in enumerate(rows):
            for j, column in enumerate(columns):
                out[i, j] = self.coefficient(row, column)
        return out

    def coefficient(self, row: int, column: int) -> Any:
        """An entry of G; rows after the closures are the relations."""
        relation = self._relation(row)
        if relation is not None:
            return relation.coefficient(column)
        cut, own = self._row[row]
        return self.owners[cut].coefficient(own, column)

    def _relation(self, row: int) -> Relation | None:
        return None if row < len(self._row) else self.selection.relations[row - len(self._row)]

    def all_rows(self) -> np.ndarray:
        """G (rows, nu) of all closures, redundant ones too [Briot 2014, eq. 30]."""
        out = zeros(self.mechanism.rows, self.mechanism.layout.nu)
        for cut in self.owners:
            columns = cut.columns()
            out[cut.cut.row : cut.cut.row + cut.cut.rows, columns] = cut.jacobian(columns)
        return out

    def all_alignments(self) -> np.ndarray:
        """As `all_rows`, of the axes in common: a motion du changes `misalignment` by minus this times du."""
        parts = [zeros(0, self.mechanism.layout.nu)]
        for cut in self.cuts:
            columns, part = cut.columns(), zeros(len(cut.alignments), self.mechanism.layout.nu)
            part[:, columns] = cut.alignment_jacobian(columns)
            parts.append(part)
        return np.concatenate(parts)

    def misalignment(self) -> Vector:
        """a · b - 1 of the axes that the sides of the cuts have in common, one cut after the other."""
        return np.concatenate([zeros(0), *(cut.misalignment() for cut in self.cuts)])

    def residual(self) -> Vector:
        """Position-level closures of all cuts, then of all couplings, one after the other."""
        return np.concatenate([zeros(0), *(owner.residual() for owner in self.owners)])

    def rates(self, v: Vector) -> Vector:
        """u (nu,) for independent velocities v (nv,): [Lopes, eqs. 6, 58], [Fried, eq. 41], [Briot 2014, eqs. 31–33, 36].

        Rates of lengths and of universal joints: [Pedrammehr 2012, eqs. 8, 10, 13–14].
        """
        u = self._independent(v)
        for block in self.selection.blocks:
            place = self.label(block)
            with note(f"{place}: rates [Long 2014, eq. 2], [Fried, eq. 41]"):
                rhs = [self._known(row, u) for row in block.rows]
                u[list(block.columns)] = self._solve(block, np.array(rhs, dtype=object))
        return u

    def rate(self, row: int, u: Vector) -> Any:
        """A row of G applied to u (nu,), 0 where the motion keeps that closure."""
        return -self._known(row, u)

    def correction(self, v: Vector) -> Vector:
        """Step (nu,) of the tree that moves the independent coordinates by v and closes the loops to first order."""
        residual = self.residual()
        if self.selection.offsets:
            residual = residual - np.array(self.selection.offsets)
        return self.closing(v, residual)

    def closing(self, v: Vector, residual: Vector) -> Vector:
        """Step (nu,) of the tree that moves the independent coordinates by v and takes a residual (rows,) away."""
        u = self._independent(v)
        residual = np.concatenate([residual, zeros(len(self.selection.relations))])  # coordinates of these are known
        for block in self.selection.blocks:
            rhs = [self._known(row, u) + residual[row] for row in block.rows]  # d(residual)/dt = -G u
            u[list(block.columns)] = self._solve(block, np.array(rhs, dtype=object))
        return u

    def accelerations(self, v: Vector, u: Vector, acceleration: Vector) -> Vector:
        """u̇ (nu,) for rates u and the accelerations of v (nv,), classical: [Fried, eqs. 29, 33, 53],
        [Briot 2014, eqs. 37–40, corrected].

        Those of lengths and of universal joints: [Pedrammehr 2012, eqs. 9, 11, 19–20].
        """
        ud = self._independent(acceleration)
        firsts: dict[int, PointMotion] = {}
        for block in self.selection.blocks:
            with note(f"{self.label(block)}: accelerations [Long 2014, eq. 6, corrected], [Fried, eq. 53]"):
                rhs = []
                for row in block.rows:
                    if self._relation(row) is not None:
                        rhs.append(self._known(row, ud))
                        continue
                    k, i = self._row[row]
                    cut = self.owners[k]
                    if isinstance(cut, CoupledRow):
                        rhs.append(-self._joints(row, ud))
                        continue
                    if k not in firsts:
                        firsts[k] = cut.first_point(u)
                    rest = cut.acceleration_rest(i, firsts[k], cut.second_point(u, ud[:6]))
                    rhs.append(rest - self._joints(row, ud))
                ud[list(block.columns)] = self._solve(block, np.array(rhs, dtype=object))
        return ud

    def lock_pivots(self) -> list[Any]:
        """Pivots of the closures that the relations of velocities stand for, solved for a motion that breaks these: none is 0
        where these closures hold the relations, whatever else moves."""
        spared = self.selection.spared
        motions = [self._breaking(relation) for _, relation in spared]
        matrix = [[-self._known(row, u) for u in motions] for row, _ in spared]
        pivots: list[Any] = []
        for k in range(len(matrix)):
            pivot = matrix[k][k]
            pivots.append(pivot)
            for i in range(k + 1, len(matrix)):
                if structurally_zero(matrix[i][k]):
                    continue
                share = matrix[i][k] / pivot
                for j in range(k + 1, len(matrix)):
                    matrix[i][j] = matrix[i][j] - share * matrix[k][j]
        return pivots

    def _breaking(self, relation: int) -> Vector:
        """u (nu,) of a motion that breaks one relation by 1 and keeps all others, and all closures but the spared ones."""
        u = zeros(self.mechanism.layout.nu)
        broken = len(self._row) + relation
        for block in self.selection.blocks:
            rhs = [self._known(row, u) + (1.0 if row == broken else 0.0) for row in block.rows]
            u[list(block.columns)] = self._solve(block, np.array(rhs, dtype=object))
        return u

    def closure_accelerations(self, rows: Sequence[int], u: Vector) -> Vector:
        """γ (rows,) with G u̇ = γ for rates u [Briot 2014, eq. 38]; it is -b* there."""
        points: dict[int, tuple[PointMotion, PointMotion]] = {}
        out = []
        for row in rows:
            if self._relation(row) is not None:
                out.append(zeros(1)[0])
                continue
            k, i = self._row[row]
            cut = self.owners[k]
            if isinstance(cut, CoupledRow):
                out.append(zeros(1)[0])
                continue
            if k not in points:
                points[k] = cut.first_point(u), cut.second_point(u, zeros(6))
            out.append(cut.acceleration_rest(i, *points[k]))
        return np.array(out, dtype=object)

    def project(self, forces: Vector) -> Vector:
        """Γᵀ f (nv,) of generalised forces f (nu,) on the tree [Briot 2014, eq. 43]."""
        left, _ = self._eliminate(forces)
        return left[list(self.selection.independent)]

    def multipliers(self, forces: Vector) -> list[Vector]:
        """Multipliers (rows,) of every cut, then coupling, that take tree forces f (nu,) off the dependent velocities; removed
        rows: 0."""
        return self._eliminate(forces)[1]

    def _eliminate(self, forces: Vector) -> tuple[Vector, list[Vector]]:
        left = forces.copy()
        found = [zeros(owner.cut.rows) for owner in self.owners]
        pending = [zeros(owner.cut.rows) for owner in self.owners]
        for block in reversed(self.selection.blocks):
            if self.mechanism.has_platform and any(column < 6 for column in block.columns):
                self._push_platform(left, pending)
            with note(f"{self.label(block)}: projection [Fried, eq. 94]"):
                solution = self._solve(block, left[list(block.columns)], transposed=True)
                for row, multiplier in zip(block.rows, solution, strict=True):
                    relation = self._relation(row)
                    if relation is not None:
                        for column in relation.columns:
                            left[column] = left[column] - relation.coefficient(column) * multiplier
                        continue
                    cut, own = self._row[row]
                    found[cut][own] = pending[cut][own] = multiplier
                    for column in self._joint_columns(cut):
                        left[column] = left[column] - self.owners[cut].coefficient(own, column) * multiplier
        if self.mechanism.has_platform:
            self._push_platform(left, pending)
        return left, found

    def _push_platform(self, left: Vector, pending: list[Vector]) -> None:
        """Take pending multipliers to the platform's entries of `left`, as a wrench [Long 2014, eq. 27]; elastic forces
        are taken in `_eliminate`."""
        for k, cut in enumerate(self.cuts):
            if cut.on_platform and not all(structurally_zero(x) for x in pending[k]):
                with note(f"{self._place(cut.cut.leg, cut.cut.name)}: projection [Fried, eq. 94]"):
                    f, m = cut.wrench_on_platform(pending[k])
                    left[:6] = left[:6] + np.concatenate([f, m])
                pending[k] = zeros(cut.cut.rows)

    def _independent(self, v: Vector) -> Vector:
        u = zeros(self.mechanism.layout.nu)
        u[list(self.selection.independent)] = v
        return u

    def _solve(self, block: Block, rhs: Vector, transposed: bool = False) -> Vector:
        if all(structurally_zero(x) for x in rhs):
            return zeros(len(rhs))
        relation = self._relation(block.rows[0]) if len(block.rows) == 1 else None
        if relation is not None:  # it may give either of its velocities
            factor = relation.coefficient(block.columns[0])
            return rhs if factor == 1.0 else rhs * (1.0 / factor)
        matrix = self.matrix(block)
        return solve(matrix.T if transposed else matrix, rhs, Status.FOLDED.at(self.label(block)))

    def _known(self, row: int, u: Vector) -> Any:
        """-(row applied to u): what the known velocities ask of the block's columns (still 0 in u)."""
        relation = self._relation(row)
        if relation is not None:
            return zeros(1)[0] if relation.of is None else relation.factor * u[relation.of] - u[relation.column]
        k, i = self._row[row]
        joints, owner = self._joints(row, u), self.owners[k]
        if isinstance(owner, CutGeometry) and owner.on_platform:
            return owner.platform_rates(i, u[:6]) - joints
        return -joints

    def _joints(self, row: int, u: Vector) -> Any:
        k, i = self._row[row]
        total = zeros(1)[0]
        for column in self._joint_columns(k):
            if not structurally_zero(u[column]):
                total = total + self.owners[k].coefficient(i, column) * u[column]
        return total

    def _joint_columns(self, cut: int) -> list[int]:
        """Columns of a cut that go through coefficients: all but those of a platform on the second side."""
        geometry = self.owners[cut]
        return geometry.columns() if not geometry.on_platform else [c for c in geometry.columns() if c >= 6]
