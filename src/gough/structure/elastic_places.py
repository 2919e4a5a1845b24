"""Constants of flexible bodies and of frames tied to them put into the parameters, and the places they get."""

import numpy as np

from gough.fem.elastic_body import ElasticBody, Slaved, TiedFrame
from gough.structure.elastic import MINUS_ONE, ONE, ZERO, Elastic, SlavedPlaces, Tie
from gough.structure.flexible import typical_amplitudes
from gough.structure.parameters import ParameterTable


def add_elastic(table: ParameterTable, name: str, body: ElasticBody, q: int, u: int, size: float) -> Elastic:
    """Places of the constants of a body (internal axes) whose coordinates start at q and u, in a robot of a size (m)."""
    m = body.modes
    pairs = [(k, ell) for k in range(m) for ell in range(k, m)]
    add = _Adding(table, name)

    def symmetric(what: str, matrix: np.ndarray) -> tuple[int, ...]:
        return tuple(i for k, ell in pairs for i in add(what, (k, ell), matrix[k, ell]))

    return Elastic(
        q=q,
        u=u,
        modes=m,
        MSde=tuple(i for k in range(m) for i in add("MSde", (k,), body.MSde[:, k])),
        N1=tuple(i for k in range(m) for i in add("N1", (k,), body.N1[k])),
        N2=tuple(i for p in pairs for i in add("N2", p, body.N2[p])),
        M=symmetric("Me", body.M),
        K=symmetric("Ke", body.K),
        D=symmetric("De", body.D),
        units=typical_amplitudes(body, size),
        remarks=body.remarks,
        slaved=None if body.slaved is None else _add_slaved(_Adding(table, f"{name}.slaved"), body.slaved, m),
    )


def _add_slaved(add: "_Adding", slaved: Slaved, m: int) -> SlavedPlaces:
    s, o = len(slaved.forms), slaved.own
    pairs = [(k, ell) for k in range(m) for ell in range(k, m)]
    forms = [((j, k, ell), slaved.forms[j, k, ell]) for j in range(s) for k, ell in pairs]
    along = [((k, j), slaved.along[k, j]) for k in range(m) for j in range(s)]
    both = [(i, k) for i in range(o) for k in range(m)] + [(i, m + j) for i in range(o) for j in range(i, o)]
    return SlavedPlaces(
        count=s,
        own=o,
        forms=tuple(i for index, x in forms for i in add("form", index, x, wholes=True)),
        along=tuple(i for index, x in along for i in add("along", index, x, wholes=True)),
        MSde=tuple(i for k in range(o) for i in add("MSde", (k,), slaved.MSde[:, k])),
        N1=tuple(i for k in range(o) for i in add("N1", (k,), slaved.N1[k])),
        products=tuple(i for p in both for i in add("product", p, slaved.products[p])),
        rigid_motion=slaved.rigid_motion,
    )


class _Adding:
    """Puts numbers, vectors and tensors of a body into the table."""

    def __init__(self, table: ParameterTable, name: str) -> None:
        self.table, self.name = table, name

    def __call__(self, what: str, index: tuple[int, ...], value: np.ndarray, wholes: bool = False) -> list[int]:
        """Positions; wholes: ones are structure as zeros always are."""
        label = ",".join(str(i + 1) for i in index)
        suffixes = [""] if value.ndim == 0 else "xyz" if value.ndim == 1 else [a + b for a in "xyz" for b in "xyz"]
        known = {0.0: ZERO} | ({1.0: ONE, -1.0: MINUS_ONE} if wholes else {})
        return [
            known[x] if x in known else self.table.add(f"{self.name}.{what}[{label}]{'.' if s else ''}{s}", x, "SI")
            for s, x in zip(suffixes, value.ravel().tolist(), strict=True)
        ]


def add_tie(table: ParameterTable, name: str, frame: TiedFrame, elastic: Elastic) -> Tie:
    """Places of the numbers of a tied frame."""
    m = elastic.modes

    def add(what: str, index: tuple[int, ...], values: np.ndarray) -> list[int]:
        label = ",".join(str(i + 1) for i in index)
        return [
            table.add(f"{name}.{what}[{label}].{s}", float(x), "SI") if x != 0.0 else -1
            for s, x in zip("xyz", values, strict=True)
        ]

    second: tuple[int, ...] = ()
    if frame.second is not None and elastic.stiffened:
        pairs = [(k, ell) for k in range(m) for ell in range(k, m)]
        second = tuple(i for p in pairs for i in add("second", p, frame.second[:, *p]))
    return Tie(
        q=elastic.q,
        u=elastic.u,
        modes=m,
        translation=tuple(i for k in range(m) for i in add("translation", (k,), frame.translation[:, k])),
        turning=tuple(i for k in range(m) for i in add("turning", (k,), frame.turning[:, k])),
        second=second,
    )
