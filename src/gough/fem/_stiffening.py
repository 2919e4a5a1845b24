"""The displacement of second order of a body as a sum of fields, each driven by a quadratic form of the coordinates.

Field     ½ Σ_kl e_k e_l Ψ_kl(x) = Σ_j N_j(x) σ_j(e),  σ_j = ½ eᵀ Q_j e,  so  Ψ_kl = Σ_j N_j Q_j,kl.

The shapes that follow the coordinates so come from these fields, merged without changing what they add up to: those that depend
on others go into their forms; those that the body's own shapes can make become shifts of its coordinates, which need no integrals
of their own. Where they work together with the motion of the body's frame alone, only ∫ Ψ dm and ∫ x̂ Ψ̂ dm count: 12 numbers, of
which few differ (two of a straight beam in a plane). Of all fields with these moments the one with least ∫ Ψ² dm is linear in x:
a motion again, of no more shapes than that.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import qr, solve_triangular

from gough.fem._slopes import least_squares, orthonormal, symmetric_axes
from gough.fem.elastic_body import Slaved, shape_integrals, shape_products
from gough.scalar.slopes import has_slopes, real_part

MassPoints = tuple[np.ndarray, np.ndarray, np.ndarray]
"""mass (g,) kg, position (g, 3) m, shapes (g, 3, m)."""
SAME = 1e-12
"""What is left of a field relative to its size where others make it."""
PART = 1e-10
"""A part of one field in another below that is rounding."""
FAINT = 1e-11
"""Field of two coordinates, measured by their masses, relative to that of the one that bends, which comes from rounding: of modes
of stretching and of bending with nearly the same frequency."""
FLAT = 1e-14
"""A second moment of the mass relative to the largest below which a body has no extent."""


@dataclass(frozen=True)
class SecondOrder:
    """points (g, 3, s), nodes (n, 3, s): the fields N at mass points and at nodes; forms (s, m, m): Q, symmetric.

    sampled: the mass points where the fields are known, None where these are the body's own (which may be too few to
    integrate products of two fields).
    """

    points: np.ndarray
    nodes: np.ndarray
    forms: np.ndarray
    sampled: MassPoints | None = None

    @property
    def at_points(self) -> np.ndarray:
        """Ψ at the mass points (g, 3, m, m)."""
        return np.einsum("gaj,jkl->gakl", self.points, self.forms, optimize=True)

    @property
    def at_nodes(self) -> np.ndarray:
        """Ψ at the nodes (n, 3, m, m)."""
        return np.einsum("naj,jkl->nakl", self.nodes, self.forms, optimize=True)

    def in_axes(self, R: np.ndarray, origin: np.ndarray) -> "SecondOrder":
        """The same in axes turned by R (3, 3), their own origin at `origin` (3,)."""
        sampled = self.sampled
        if sampled is not None:
            sampled = sampled[0], sampled[1] @ R.T + origin, np.matmul(R, sampled[2])
        return replace(self, points=np.matmul(R, self.points), nodes=np.matmul(R, self.nodes), sampled=sampled)

    def by_pairs(self) -> "SecondOrder":
        """The same displacement with one field for every pair k <= l of coordinates that has one: σ = e_k e_l or ½ e_k²."""
        m = self.forms.shape[1]
        rows, columns = np.triu_indices(m)
        chosen = np.any(self.forms[:, rows, columns], axis=0)
        rows, columns = rows[chosen], columns[chosen]
        each, forms = np.arange(len(rows)), np.zeros((len(rows), m, m))
        forms[each, rows, columns] = forms[each, columns, rows] = 1.0
        weights = self.forms[:, rows, columns]
        return SecondOrder(self.points @ weights, self.nodes @ weights, forms, self.sampled)


def second_order(points: np.ndarray, nodes: np.ndarray | None = None) -> SecondOrder:
    """From Ψ itself, symmetric in its last two axes: at mass points (g, 3, m, m) and at nodes (n, 3, m, m)."""
    m = points.shape[2]
    nodes = np.zeros((0, 3, m, m)) if nodes is None else nodes
    rows, columns = np.triu_indices(m)
    forms = np.zeros((len(rows), m, m))
    each = np.arange(len(rows))
    forms[each, rows, columns] = forms[each, columns, rows] = 1.0
    return SecondOrder(points[:, :, rows, columns], nodes[:, :, rows, columns], forms)


def slaved_shapes(mass: np.ndarray, position: np.ndarray, shapes: np.ndarray, second: SecondOrder) -> Slaved:
    """Shapes slaved to those (g, 3, m) at the points of `second`: mass (g,) kg, position (g, 3) m.

    The fields are taken as they come (those of an element are few and near) or one a pair of coordinates, whichever is less
    work.
    """
    own = np.any(shape_products(mass, shapes, shapes), axis=(2, 3))
    made = [_slave(mass, position, shapes, fields) for fields in (second, second.by_pairs())]
    return min(made, key=lambda slaved: _work(own, slaved))


def rigid_motion_shapes(mass: np.ndarray, position: np.ndarray, second: SecondOrder) -> Slaved:
    """The same where only products with the motion of the body's frame are kept: mass (g,) kg, position (g, 3) m."""
    pairs = second.by_pairs()
    made = shape_integrals(mass, position, pairs.points)
    count = len(pairs.forms)
    rows = np.concatenate([made.MSde, made.N1.reshape(count, 9).T])  # (12, pairs)
    reach = np.sqrt(np.abs(mass) @ np.sum(position**2, axis=1))
    forms, table = _few_forms(mass, pairs, rows, np.array([np.sqrt(np.abs(mass).sum())] * 3 + [reach] * 9))
    o, m = len(forms), second.forms.shape[1]
    return Slaved(
        forms=forms,
        along=np.zeros((m, o)),
        MSde=table[:3],
        N1=table[3:].T.reshape(o, 3, 3),
        products=np.zeros((o, m + o, 3, 3)),
        rigid_motion=True,
    )


def moment_shapes(mass: np.ndarray, position: np.ndarray, shapes: np.ndarray, second: SecondOrder) -> Slaved:
    """The same of the displacement linear in x that has the moments ∫ Ψ dm and ∫ Ψ xᵀ dm: what remains of Ψ when it is projected
    onto such fields over the mass (g,) kg at position (g, 3) m.

    Of these fields the part that the body's own shapes (g, 3, m) make shifts its coordinates; what is left is orthonormal, so
    that M̂ of slaved shapes is one, and zero with the body's own.
    """
    pairs, linear = _without_faint(mass, shapes, second.by_pairs()), _linear_fields(mass, position)
    rows = np.einsum("g,gai,gap->ip", mass, linear, pairs.points, optimize=True)
    forms, table = _few_forms(mass, pairs, rows, np.ones(len(rows)))
    fields = linear @ table
    parts, unit = _parts_of_shapes(mass, shapes, fields)
    rest = fields - shapes @ (parts / unit)
    squares, axes = symmetric_axes(_gram(mass, rest))
    squares, axes = squares[::-1], axes[:, ::-1]
    o = np.count_nonzero(squares > SAME)
    size = np.append(np.sqrt(squares[:o]), np.ones(len(squares) - o))
    back = (axes * size).T
    fields = (rest @ axes / size)[:, :, :o]
    if has_slopes(fields):
        axes[:, :o] = axes[:, :o] / size[:o] @ orthonormal(_gram(mass, fields)) * size[:o]  # equal ones stay so too
        fields = (rest @ axes / size)[:, :, :o]
        back = real_part(back) - 1j * real_part(back) @ (axes / size).imag @ real_part(back)
    made = shape_integrals(mass, position, fields)
    products = shape_products(mass, fields, np.concatenate([shapes, fields], axis=2))
    forms = np.einsum("ij,jkl->ikl", back, forms)
    along = _whole(_plain(parts @ axes) / unit / size)
    return Slaved(forms, along, made.MSde, made.N1, products, moments=True)


def _gram(mass: np.ndarray, fields: np.ndarray) -> np.ndarray:
    """∫ N_i · N_j dm (n, n) of fields (g, 3, n)."""
    return np.trace(shape_products(mass, fields, fields), axis1=2, axis2=3)


def _without_faint(mass: np.ndarray, shapes: np.ndarray, pairs: SecondOrder) -> SecondOrder:
    """Fields of pairs of coordinates without those that are rounding: of one that makes none by itself."""
    root = np.sqrt(np.abs(mass))[:, None, None]
    own, size = (np.linalg.norm(root * real_part(x), axis=(0, 1)) for x in (shapes, pairs.points))
    own = np.where(own > 0.0, own, 1.0)
    k, ell = _coordinates_of_pairs(pairs.forms)
    size, alone = size / (own[k] * own[ell]), np.zeros(len(own))
    alone[k[k == ell]] = size[k == ell]
    bends = np.minimum(alone[k], alone[ell]) > 0.0
    kept = bends | (size > FAINT * np.maximum(alone[k], alone[ell]))
    return replace(pairs, points=pairs.points[:, :, kept], nodes=pairs.nodes[:, :, kept], forms=pairs.forms[kept])


def _parts_of_shapes(mass: np.ndarray, shapes: np.ndarray, fields: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(parts (m, n) of shapes (g, 3, m) of size one in fields (g, 3, n) of size one, projected over the mass; sizes (m, 1))."""
    own, felt = (np.trace(shape_products(mass, shapes, x), axis1=2, axis2=3) for x in (shapes, fields))
    size = np.sqrt(np.maximum(real_part(np.diag(own)), 0.0))
    size = np.where(size > 0.0, size, 1.0)[:, None]
    parts = least_squares(own / (size * size.T), felt / size, 1e-13)
    return _plain(parts), size


def _linear_fields(mass: np.ndarray, position: np.ndarray) -> np.ndarray:
    """Displacements (g, 3, n) along each axis that are linear in x, n <= 12, orthonormal over the mass."""
    total = mass.sum()
    x = position - mass @ position / total
    moments, axes = symmetric_axes(x.T @ (mass[:, None] * x))
    wide = moments > FLAT * moments.max()
    across = x @ axes[:, wide] / np.sqrt(moments[wide])
    if has_slopes(across):  # equal moments stay so too
        across = across @ orthonormal(across.T @ (mass[:, None] * across))
    linear = np.concatenate([np.full((len(mass), 1), 1.0 / np.sqrt(total)), across], axis=1)
    return np.einsum("gi,ab->gaib", linear, np.eye(3)).reshape(len(mass), 3, -1)


def _few_forms(
    mass: np.ndarray, pairs: SecondOrder, rows: np.ndarray, bound: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(forms (o, m, m), table (n, o)) with Σ_o table form = the forms whose entries are `rows` (n, pairs), each of which a field
    of size one can make as large as `bound` (n,): few, as some are made of others."""
    unit = _units_of_pairs(
        np.linalg.norm(np.sqrt(np.abs(mass))[:, None, None] * real_part(pairs.points), axis=(0, 1)), pairs.forms
    )
    rows = rows / unit
    norm = np.linalg.norm(real_part(rows), axis=1)
    there = norm > SAME * bound * np.sqrt(max(len(unit), 1))
    chosen, parts = _independent((rows[there] / norm[there, None]).T)
    table = np.zeros((len(rows), len(chosen)), dtype=parts.dtype)
    table[there] = _plain(parts).T * norm[there, None] / norm[there][chosen]
    return np.einsum("ip,pkl->ikl", (rows * unit)[there][chosen], pairs.forms), _whole(table)


def _units_of_pairs(size: np.ndarray, forms: np.ndarray) -> np.ndarray:
    """What fields of pairs k, l (forms (p, m, m)) of sizes (p,) are measured by: coordinates differ in their units."""
    if not len(size):
        return size
    k, ell = _coordinates_of_pairs(forms)
    own = np.zeros(forms.shape[1])
    own[k[k == ell]] = size[k == ell]
    unit = np.maximum(np.sqrt(own[k] * own[ell]), size)
    return np.where(unit > 0.0, unit, 1.0)


def _coordinates_of_pairs(forms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """k <= l of each pair (p,) from forms (p, m, m)."""
    places = np.argwhere(np.triu(real_part(forms)))  # one each
    return places[:, 1], places[:, 2]


def _slave(mass: np.ndarray, position: np.ndarray, shapes: np.ndarray, second: SecondOrder) -> Slaved:
    fields, forms, along = _merge_fields(mass, shapes, second)
    made = shape_integrals(mass, position, fields)
    products = shape_products(mass, fields, np.concatenate([shapes, fields], axis=2))
    return Slaved(forms, along, made.MSde, made.N1, products)


def _work(own: np.ndarray, slaved: Slaved) -> int:
    """About how many multiplications a motion and a mass matrix need: entries of integrals and forms, and Ĵᵀ M̂ Ĵ.

    own (m, m): which of the body's shapes have to do with each other.
    """
    m, o, filled = len(own), slaved.own, slaved.M != 0.0
    M = np.block([[own, filled[:, :m].T], [filled]])
    moved = np.any(slaved.forms, axis=2)
    J = np.concatenate([np.eye(m, dtype=bool) | ((slaved.along != 0.0) @ moved), moved[:o]])
    product = M.sum(axis=0) @ J.sum(axis=1)
    return int(product + 2 * np.count_nonzero(slaved.products) + np.count_nonzero(slaved.forms))


def _merge_fields(
    mass: np.ndarray, shapes: np.ndarray, second: SecondOrder
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(fields (g, 3, o) that are needed, forms (s, m, m): theirs first, along (m, s))."""
    g = len(mass)
    root = np.sqrt(np.repeat(np.abs(real_part(mass)), 3))[:, None]
    own, columns = (root * x.reshape(3 * g, -1) for x in (shapes, second.points))
    size, own_size = (np.linalg.norm(real_part(x), axis=0) for x in (columns, own))
    there = size > 0.0
    points, forms, size = second.points[:, :, there], second.forms[there], size[there]
    columns, own = columns[:, there] / size, own / np.where(own_size > 0.0, own_size, 1.0)
    shift = least_squares(own, columns, 1e-13)
    inside = np.linalg.norm(columns - own @ shift, axis=0) <= SAME
    along = _plain(shift[:, inside]) * size[inside] / np.where(own_size > 0.0, own_size, 1.0)[:, None]
    first = np.argmax(np.abs(along), axis=0), np.arange(along.shape[1])
    largest = along[first] * np.sign(along[first].real)
    chosen, parts = _independent(columns[:, ~inside])
    outside = size[~inside]
    # A field that others make: N_j = Σ_i N_i parts_ij, so their forms take its own.
    needed = np.einsum("ij,jkl->ikl", _whole(_plain(parts) * outside / outside[chosen, None]), forms[~inside])
    along = np.concatenate([np.zeros((len(own_size), len(needed))), _whole(along / largest)], axis=1)
    forms = np.concatenate([needed, forms[inside] * largest[:, None, None]])
    return points[:, :, ~inside][:, :, chosen], forms, along


def _independent(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(numbers of columns of size one that make all others, in order; parts (r, columns) with which they do).

    Columns along another one, as those of a straight beam's two planes, are made of it alone: where fields are nearly dependent,
    solving for parts of all would find rounding everywhere.
    """
    if not columns.shape[1]:
        return np.zeros(0, dtype=int), np.zeros((0, 0))
    cosines = columns.T @ columns
    if has_slopes(columns):  # they are of size one as values alone
        cosines = cosines / np.diag(cosines)[:, None]
    along = (np.abs(cosines) > 0.5) & np.array(
        [np.linalg.norm(columns - np.outer(columns[:, k], c), axis=0) <= SAME for k, c in enumerate(cosines)]
    )
    first = np.argmax(along, axis=0)  # a column is along itself
    kept, place = np.unique(first, return_inverse=True)
    chosen, parts = _solve_parts(columns[:, kept])
    return kept[chosen], parts[:, place] * cosines[first, np.arange(len(first))]


def _solve_parts(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """As `_independent`, no two of them along each other."""
    n = columns.shape[1]
    R, order = (np.asarray(x) for x in qr(real_part(columns), mode="r", pivoting=True))
    rank = int(np.sum(np.abs(np.diag(R)) > SAME * abs(R[0, 0])))
    parts = np.zeros((rank, n))
    parts[:, order] = solve_triangular(R[:rank, :rank], R[:rank])
    sorted_first = np.argsort(order[:rank])
    chosen = order[:rank][sorted_first]
    return chosen, least_squares(columns[:, chosen], columns, 0.0) if has_slopes(columns) else parts[sorted_first]


def _plain(parts: np.ndarray) -> np.ndarray:
    """Parts of fields of size one, without rounding."""
    return np.where(np.abs(parts) <= PART, 0.0, parts)


def _whole(values: np.ndarray) -> np.ndarray:
    """Values with rounding taken off ones, which are structure."""
    for one in (1.0, -1.0):
        values = np.where(np.abs(values - one) <= PART, one, values)
    return values
