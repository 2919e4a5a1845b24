"""Solving small linear systems in scalar operations.

A solve first peels unknowns: a row with one structural non-zero gives its unknown at once (legs are mostly that).
What is left is solved by the adjugate with one reciprocal (up to 3 unknowns) or by elimination in the block's order
(4 and more), numbers as pivots first; symmetric positive definite systems by LDLᵀ without pivoting.
"""

from gough.program.graph import CONST, Graph
from gough.program.ops import Solve


def scalar_solve(graph: Graph, block: Solve, operands: tuple[int, ...]) -> tuple[list[list[int]], list[int]]:
    """(X as n rows of m nodes, pivots in the order met) of a solve block."""
    n, m = block.n, block.m
    matrix = [list(operands[i * n : (i + 1) * n]) for i in range(n)]
    rhs = [list(operands[n * n + i * m : n * n + (i + 1) * m]) for i in range(n)]
    pivots: list[int] = []
    if block.spd:
        return _ldl(graph, matrix, rhs, pivots), pivots
    return _general(graph, block, matrix, rhs, pivots), pivots


def dot_nodes(graph: Graph, a, b) -> int:
    """Sum of products of nodes."""
    total = graph.const(0.0)
    for x, y in zip(a, b, strict=True):
        total = graph.add(total, graph.mul(x, y))
    return total


def _general(graph: Graph, block: Solve, a, b, pivots: list[int]) -> list[list[int]]:
    n, m = block.n, block.m
    zero = graph.const(0.0)
    rows, columns = list(range(n)), list(range(n))
    x: list[list[int]] = [[zero] * m for _ in range(n)]
    b = [row[:] for row in b]

    def single(i: int) -> list[int]:
        return [j for j in columns if a[i][j] != zero]

    # Peel rows with one non-zero: the unknown is known, its column moves to the right-hand side.
    while True:
        ready = next(((i, single(i)) for i in rows if len(single(i)) == 1), None)
        if ready is None:
            break
        i, (j,) = ready
        pivots.append(a[i][j])
        x[j] = [graph.div(value, a[i][j]) for value in b[i]]
        rows.remove(i)
        columns.remove(j)
        for k in rows:
            for c in range(m):
                b[k][c] = graph.sub(b[k][c], graph.mul(a[k][j], x[j][c]))
    # Columns with one non-zero are solved last: set their rows aside.
    aside = []
    while True:
        found = next(((i[0], j) for j in columns if len(i := [r for r in rows if a[r][j] != zero]) == 1), None)
        if found is None:
            break
        aside.append(found)
        rows.remove(found[0])
        columns.remove(found[1])
    core = _core(graph, block, [[a[i][j] for j in columns] for i in rows], [b[i] for i in rows], rows, columns, pivots)
    for j, solution in zip(columns, core, strict=True):
        x[j] = solution
    known = [j for j in range(n) if j not in [c for _, c in aside]]
    for i, j in reversed(aside):
        pivots.append(a[i][j])
        for c in range(m):
            value = b[i][c]
            for k in known:
                if k in columns or k in [s for _, s in aside]:
                    value = graph.sub(value, graph.mul(a[i][k], x[k][c]))
            x[j][c] = value
        x[j] = [graph.div(value, a[i][j]) for value in x[j]]
        known.append(j)
    return x


def _core(graph: Graph, block: Solve, a, b, rows, columns, pivots: list[int]) -> list[list[int]]:
    n = len(a)
    if n == 0:
        return []
    if n <= 3:
        return _adjugate(graph, a, b, pivots)
    fixed = _constant_pivot(graph, a)
    if fixed is not None:
        return _after_constant_pivot(graph, block, a, b, rows, columns, pivots, fixed)
    if block.order is not None:
        row_rank = {r: k for k, r in enumerate(block.order[0])}
        column_rank = {c: k for k, c in enumerate(block.order[1])}
        p = sorted(range(n), key=lambda k: row_rank[rows[k]])
        q = sorted(range(n), key=lambda k: column_rank[columns[k]])
        a = [[a[i][j] for j in q] for i in p]
        b = [b[i] for i in p]
        solution = _eliminate(graph, a, b, pivots)
        out: list[list[int]] = [[] for _ in range(n)]
        for k, j in enumerate(q):
            out[j] = solution[k]
        return out
    return _eliminate(graph, a, b, pivots)


def _constant_pivot(graph: Graph, a) -> tuple[int, int] | None:
    """Place of a non-zero number in the matrix: a pivot that can never vanish and saves work."""
    for i, row in enumerate(a):
        for j, value in enumerate(row):
            if graph.ops[value] == CONST and abs(graph.args[value][0]) == 1.0:
                return i, j
    return None


def _after_constant_pivot(graph, block, a, b, rows, columns, pivots, place) -> list[list[int]]:
    """Eliminate with the constant pivot, solve the smaller system, substitute back."""
    p, q = place
    keep_rows = [i for i in range(len(a)) if i != p]
    keep_columns = [j for j in range(len(a)) if j != q]
    m = len(b[0])
    small, rhs = [], []
    for i in keep_rows:
        factor = graph.div(a[i][q], a[p][q])
        small.append([graph.sub(a[i][j], graph.mul(factor, a[p][j])) for j in keep_columns])
        rhs.append([graph.sub(b[i][c], graph.mul(factor, b[p][c])) for c in range(m)])
    inner = _core(graph, block, small, rhs, [rows[i] for i in keep_rows], [columns[j] for j in keep_columns], pivots)
    x: list[list[int]] = [[] for _ in range(len(a))]
    for j, solution in zip(keep_columns, inner, strict=True):
        x[j] = solution
    last = []
    for c in range(m):
        value = b[p][c]
        for j in keep_columns:
            value = graph.sub(value, graph.mul(a[p][j], x[j][c]))
        last.append(graph.div(value, a[p][q]))
    x[q] = last
    return x


def _adjugate(graph: Graph, a, b, pivots: list[int]) -> list[list[int]]:
    """Cramer's rule with one reciprocal of the determinant, for 1, 2 or 3 unknowns."""
    n = len(a)
    mul, sub = graph.mul, graph.sub

    def minor(i: int, j: int) -> int:
        if n == 1:
            return graph.const(1.0)
        if n == 2:
            return a[1 - i][1 - j] if (i + j) % 2 == 0 else graph.neg(a[1 - i][1 - j])
        r = [(i + 1) % 3, (i + 2) % 3]
        c = [(j + 1) % 3, (j + 2) % 3]
        return sub(mul(a[r[0]][c[0]], a[r[1]][c[1]]), mul(a[r[0]][c[1]], a[r[1]][c[0]]))

    cofactors = [[minor(i, j) for j in range(n)] for i in range(n)]
    determinant = dot_nodes(graph, a[0], cofactors[0])
    pivots.append(determinant)
    reciprocal = graph.div(graph.const(1.0), determinant)
    columns = range(len(b[0]))
    return [
        [
            mul(reciprocal, dot_nodes(graph, [cofactors[i][j] for i in range(n)], [b[i][c] for i in range(n)]))
            for c in columns
        ]
        for j in range(n)
    ]


def _eliminate(graph: Graph, a, b, pivots: list[int]) -> list[list[int]]:
    """Gaussian elimination in the given order."""
    n, m = len(a), len(b[0])
    a, b = [row[:] for row in a], [row[:] for row in b]
    mul, sub = graph.mul, graph.sub
    reciprocals = []
    for k in range(n):
        pivots.append(a[k][k])
        reciprocals.append(graph.div(graph.const(1.0), a[k][k]))
        for i in range(k + 1, n):
            factor = mul(a[i][k], reciprocals[k])
            for j in range(k + 1, n):
                a[i][j] = sub(a[i][j], mul(factor, a[k][j]))
            for c in range(m):
                b[i][c] = sub(b[i][c], mul(factor, b[k][c]))
    x: list[list[int]] = [[] for _ in range(n)]
    for i in range(n - 1, -1, -1):
        row = []
        for c in range(m):
            value = b[i][c]
            for j in range(i + 1, n):
                value = sub(value, mul(a[i][j], x[j][c]))
            row.append(mul(reciprocals[i], value))
        x[i] = row
    return x


def _ldl(graph: Graph, a, b, pivots: list[int]) -> list[list[int]]:
    """LDLᵀ factors of a symmetric matrix with pivots that are not zero, then two triangular solves; zeros are passed over."""
    n, m = len(a), len(b[0])
    mul, sub, zero = graph.mul, graph.sub, graph.const(0.0)
    low = [[zero] * n for _ in range(n)]
    scaled = [[zero] * n for _ in range(n)]
    reciprocals: list[int] = []
    filled: list[list[int]] = []  # of every row, columns of L that are not zero
    below: list[list[int]] = []  # of every column, rows
    for j in range(n):
        filled.append([k for k in range(j) if low[j][k] != zero])
        d = a[j][j]
        for k in filled[j]:
            d = sub(d, mul(low[j][k], scaled[j][k]))
        pivots.append(d)
        reciprocals.append(graph.div(graph.const(1.0), d))
        for i in range(j + 1, n):
            value = a[i][j]
            for k in filled[j]:
                if scaled[i][k] != zero:
                    value = sub(value, mul(scaled[i][k], low[j][k]))
            scaled[i][j] = value
            low[i][j] = mul(value, reciprocals[j])
        below.append([i for i in range(j + 1, n) if low[i][j] != zero])
    x = [row[:] for row in b]
    for c in range(m):
        for i in range(n):
            for k in filled[i]:
                x[i][c] = sub(x[i][c], mul(low[i][k], x[k][c]))
        for i in range(n):
            x[i][c] = mul(x[i][c], reciprocals[i])
        for i in range(n - 1, -1, -1):
            for k in below[i]:
                x[i][c] = sub(x[i][c], mul(low[k][i], x[k][c]))
    return x
