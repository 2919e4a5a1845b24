"""Data files of other codes, spoilt: bytes, numbers, structure and headers. Run as a program it tries many of them.

    python hostile_files.py FIRST COUNT

prints one JSON line for every file that ended otherwise than in a sound body or the library's own error, within 10 s of
computing and 2 GB of memory. A file is made from its number alone, so a number that failed is its own seed.
"""

import io
import json
import re
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
from scipy.io import mmwrite
from scipy.sparse import coo_array

from fem.element_bodies import STEEL, box
from fem.files.hostile_archives import arrays, headers, zipped
from fem.files.make_nastran_files import GRIDS
from fem.reduction_bodies import lumped_frame
from gough.errors import GoughError
from gough.fem import (
    ClampedModes,
    FreeModes,
    elastic_body_of_modes,
    read_abaqus_matrices,
    read_matrix_market,
    read_mesh,
    read_modal_file,
    read_nastran_dmig,
    reduce,
    write_modal_file,
)

LIMIT_S, LIMIT_BYTES = 10, 2_000_000_000
Files = dict[str, bytes]

NASTY = [
    b"", b"0", b"-1", b"1.5", b"nan", b"inf", b"-inf", b"1e308", b"1e-308", b"1e400", b"2147483648", b"4294967297",
    b"9999999999999999999", b"1" * 400, b"1_000", b"abc", b"0x10", b"1,2", b"--1", b"1e", b"*", b"%", b"$", b",,,", b"\xff\xfe",
    b"\0", b"\t", b"1 2 3 4 5 6 7", "①".encode(), b"1D+3", b"1+3", b"THRU",
]  # fmt: skip
LINES = [
    b"*Nset, nset=a, generate\n1, 2000000000, 1\n", b"*Include, input=/dev/zero\n", b"*Node\n", b"*Nset\n1,2\n",
    b"*Nset, nset=b\nb\n",
    b"POINTS 999999999999 double\n", b"CELLS 99999999999 99999999999\n", b"$Nodes\n1 99999999999 1 99999999999\n",
    b"$Elements\n99999999999\n", b"%%MatrixMarket matrix coordinate complex general\n", b"3000000000 3000000000 1\n",
    b"DMIG    KAAX           0       6       3       0\n", b"DMIG*\n", b"DMIG,KAAX,1,1,,1,1,\n", b"INCLUDE '/dev/zero'\n",
    b"GRID,1,,1.,2.,3.\n", b"SET,1,THRU,999999999\n", b"&lol;", b"<!DOCTYPE a [<!ENTITY b 'c'>]>",
]  # fmt: skip


def _frame_tables() -> tuple[bytes, bytes]:
    body, _, _ = lumped_frame()
    nodes = "\n".join(f"{k + 1} {x} {y} {z}" for k, (x, y, z) in enumerate(body.nodes))
    freedoms = "\n".join(f"{k // 6 + 1} {k % 6 + 1}" for k in range(36))
    return nodes.encode(), freedoms.encode()


@cache
def good_files() -> dict[str, Files]:
    """Sound files of every kind, by the name of the kind."""
    body, _, _ = lumped_frame()
    nodes, freedoms = _frame_tables()
    out: dict[str, Files] = {}
    market: Files = {"nodes.txt": nodes, "freedoms.txt": freedoms}
    for name, A in (("K", body.K), ("M", body.M)):
        text = io.BytesIO()
        mmwrite(text, coo_array(A), symmetry="symmetric")
        market[f"{name}.mtx"] = text.getvalue()
    out["market"] = market
    inp = (
        b"*Heading\n*Node, nset=all\n"
        + nodes.replace(b" ", b", ")
        + b"\n*Nset, nset=ends\n1, 6\n*Nset, nset=some, generate\n1, 5, 2\n"
    )
    for kind in ("labels", "coordinate"):
        files: Files = {"job.inp": inp}
        for name, A in (("K", body.K.toarray()), ("M", body.M.toarray())):
            i, j = np.nonzero(np.tril(A))
            if kind == "labels":
                rows = [
                    f"{r // 6 + 1},{r % 6 + 1},{c // 6 + 1},{c % 6 + 1},{A[r, c]:.15E}"
                    for r, c in zip(i, j, strict=True)
                ]
            else:
                rows = [f"{r + 1} {c + 1} {A[r, c]:.15E}" for r, c in zip(i, j, strict=True)]
            files[f"{name}.mtx"] = "\n".join(rows).encode()
        out[f"abaqus {kind}"] = files
    folder = Path(__file__).parent
    grids = "\n".join(f"{g} {x} {y} {z}" for g, (x, y, z) in zip(GRIDS, body.nodes, strict=True)).encode()
    out["dmig"] = {"frame.pch": (folder / "frame_16.pch").read_bytes(), "nodes.txt": grids}
    out["modal"] = {"body.npz": _modal_file()}
    out |= _meshes()
    return out


def _modal_file() -> bytes:
    from fem.modal.test_modal_data import lumped_modes

    with tempfile.TemporaryDirectory() as folder:
        return write_modal_file(Path(folder) / "a.npz", lumped_modes()).read_bytes()


def _meshes() -> dict[str, Files]:
    import meshio

    nodes, cells = box((2, 1, 1), (0.3, 0.2, 0.1), 10)
    sets = {"left": np.flatnonzero(nodes[:, 0] < 1e-9)}
    text, binary = {"binary": False}, {"binary": True}
    kinds = {
        "inp": ("inp", {}),
        "bdf": ("bdf", {}),
        "vtk": ("vtk", text),
        "vtk binary": ("vtk", binary),
        "vtu": ("vtu", text),
        "vtu binary": ("vtu", binary),
        "msh": ("msh", {"file_format": "gmsh", **text}),
        "msh binary": ("msh", {"file_format": "gmsh", **binary}),
        "msh 2": ("msh", {"file_format": "gmsh22", **text}),
    }
    out: dict[str, Files] = {}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, (suffix, options) in kinds.items():
            path = Path(folder) / f"{name.replace(' ', '_')}.{suffix}"
            mesh = meshio.Mesh(nodes, [("tetra10", cells)], point_sets=sets if suffix == "inp" else None)  # pyright: ignore[reportArgumentType]
            mesh.write(path, **options)
            out[f"mesh {name}"] = {f"body.{suffix}": path.read_bytes()}
    return out


def opened(kind: str, folder: Path) -> None:
    """Read the files of a kind and make a body of them; what comes out must be finite."""
    if kind == "modal":
        body = elastic_body_of_modes(read_modal_file(folder / "body.npz"))
    else:
        if kind == "market":
            elements = read_matrix_market(
                folder / "K.mtx", folder / "M.mtx", folder / "nodes.txt", folder / "freedoms.txt"
            )
        elif kind.startswith("abaqus"):
            elements = read_abaqus_matrices(folder / "K.mtx", folder / "M.mtx", folder / "job.inp")
        elif kind == "dmig":
            elements = read_nastran_dmig(folder / "frame.pch", folder / "nodes.txt")
        else:
            elements, _ = read_mesh(next(folder.iterdir()), STEEL)
        try:
            body = reduce(elements, FreeModes(3))
        except GoughError:
            body = reduce(elements, ClampedModes(None, 3))
    for name in ("mass", "MS", "J", "MSde", "N1", "N2", "M", "K"):
        assert np.isfinite(np.asarray(getattr(body, name))).all(), f"{name} is not finite"
    assert body.mass > 0.0, "a body without mass"
    assert np.linalg.eigvalsh(body.M)[0] > 0.0, "modes without mass"


def spoilt(number: int) -> tuple[str, Files, str]:
    """(kind, files, what was done) of a number: one of the files is spoilt."""
    rng = np.random.default_rng(number)
    kinds = [
        *good_files(),
        "modal",
        "modal",
        "modal",
        "dmig",
        "market",
        "abaqus labels",
    ]  # those that say most, more often
    kind = kinds[number % len(kinds)]
    files = dict(good_files()[kind])
    name = list(files)[rng.integers(len(files))]
    ways: list[Callable] = [_bytes, _cut, _repeated, _numbers, _numbers, _numbers, _lines, _lines]
    if name.endswith(".npz"):
        ways = [_bytes, _cut, arrays, arrays, arrays, arrays, headers, zipped]
    data, done = files[name], []
    for _ in range(1 + int(rng.random() < 0.3)):
        way = ways[rng.integers(len(ways))]
        data = way(data, rng)
        done.append(way.__name__)
    files[name] = data
    return kind, files, f"{name}: {', '.join(done)}"


def _bytes(data: bytes, rng: np.random.Generator) -> bytes:
    out = bytearray(data)
    for _ in range(int(rng.integers(1, 6))):
        if out:
            out[int(rng.integers(len(out)))] = int(rng.integers(256))
    return bytes(out)


def _cut(data: bytes, rng: np.random.Generator) -> bytes:
    a, b = sorted(rng.integers(0, len(data) + 1, 2).tolist())
    return data[:a] if rng.random() < 0.5 else data[:a] + data[b:]


def _repeated(data: bytes, rng: np.random.Generator) -> bytes:
    a, b = sorted(rng.integers(0, len(data) + 1, 2).tolist())
    return data[:b] + data[a:b] + data[b:]


def _numbers(data: bytes, rng: np.random.Generator) -> bytes:
    found = list(re.finditer(rb"[-+]?\d[\d.eEdD+-]*", data))
    if not found:
        return data
    early = found[: max(1, len(found) // 50)] if rng.random() < 0.4 else found  # headers come first
    at = early[rng.integers(len(early))]
    return data[: at.start()] + NASTY[rng.integers(len(NASTY))] + data[at.end() :]


def _lines(data: bytes, rng: np.random.Generator) -> bytes:
    lines = data.splitlines(keepends=True)
    k = int(rng.integers(len(lines) + 1))
    match rng.integers(4):
        case 0:
            lines.insert(k, LINES[rng.integers(len(LINES))])
        case 1 if lines:
            del lines[min(k, len(lines) - 1)]
        case 2 if lines:
            lines.insert(k, lines[rng.integers(len(lines))])
        case _ if lines:
            a, b = rng.integers(len(lines), size=2)
            lines[a], lines[b] = lines[b], lines[a]
    return b"".join(lines)


class Hung(BaseException):
    """Raised by the clock, past every handler of ordinary errors."""


def tried(number: int) -> str | None:
    """What is wrong with how a number's files ended; None where it is sound."""
    kind, files, done = spoilt(number)
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for file, data in files.items():
            (Path(name) / file).write_bytes(data)
        try:
            opened(kind, Path(name))
        except GoughError as error:
            return None if str(error).strip() else f"{kind}, {done}: an error without a word"
        except Hung:
            return f"{kind}, {done}: more than {LIMIT_S} s\n{traceback.format_exc()}"
        except BaseException:
            return f"{kind}, {done}:\n{traceback.format_exc()}"
    return None


def main() -> None:
    first, count = map(int, sys.argv[1:3])
    good_files()
    used = (
        int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() if Path("/proc").exists() else 0
    )
    resource.setrlimit(resource.RLIMIT_AS, (used + LIMIT_BYTES, used + LIMIT_BYTES))

    def alarm(*_: object) -> None:
        raise Hung

    signal.signal(signal.SIGVTALRM, alarm)
    for number in range(first, first + count):
        signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT_S)
        wrong = tried(number)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        if wrong is not None:
            print(json.dumps({"number": number, "wrong": wrong}), flush=True)
    print(json.dumps({"tried": count}), flush=True)


if __name__ == "__main__":
    main()
