"""MuJoCo's own compiler at work: text in, compiled model out, complaints with file and line.

Meshes are read only where numbers follow from them. The model is compiled twice with simple solids of two sizes in their
places: what is the same in both does not depend on meshes, and in most files that is everything. Else the files themselves
are taken; of those that are not there, bodies whose numbers would need them are refused.
"""

import re
import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.errors import UnreadableFileError, UsageError
from gough.interchange.findings import Findings
from gough.interchange.foreign import Written
from gough.interchange.mjcf._document import REMEDIES, TROUBLES, MeshFile, MjcfDocument
from gough.interchange.mjcf._references import refuse_unknown
from gough.robot.checks.suggestions import choice_of
from gough.text import read_file

MOST_MESH_BYTES = 128_000_000
MOST_BYTES_OF_ALL = 1_000_000_000
SIZES = (8.0, 12.0)
"""Edges (m, before the mesh's scale) of the solids that stand for meshes: a scale of 1e-5 leaves a volume that MuJoCo takes."""
NUMBERS = (
    *("body_mass", "body_ipos", "body_iquat", "body_inertia", "body_pos", "body_quat", "qpos0", "qpos_spring"),
    *("jnt_pos", "jnt_axis", "jnt_stiffness", "dof_damping", "dof_armature", "site_pos", "site_quat", "eq_data"),
    *("tendon_length0", "tendon_lengthspring", "tendon_stiffness", "tendon_damping"),
)
"""Of the compiled model, all that is read."""


@dataclass(frozen=True)
class CompiledModel:
    """A compiled model and the text's elements: names and places."""

    mujoco: Any
    model: Any
    spec: Any
    document: MjcfDocument

    def value(self, enumeration: str, word: str) -> int:
        """The number of a word of MuJoCo's, ("Eq", "WELD"); the words themselves are not always equal to numpy's numbers."""
        return int(getattr(getattr(self.mujoco, f"mjt{enumeration}"), f"mj{enumeration.upper()}_{word}"))

    def has_path(self, tendon: int) -> bool:
        """Whether a tendon runs along a path, and is no sum of joint coordinates."""
        return int(self.model.wrap_type[self.model.tendon_adr[tendon]]) != self.value("Wrap", "JOINT")

    def name(self, kind: str, index: int) -> str:
        """What a thing is called in the file, "" where it has no name."""
        return self.mujoco.mj_id2name(self.model, self.value("Obj", kind), index) or ""

    def places(self, kind: str, elements: Any, word: str) -> list[Written]:
        """Where the things of a kind are written, in the order of their numbers."""
        lines = {e.id: line_of(e.info) for e in elements}
        count = {"body": "nbody", "joint": "njnt", "equality": "neq", "tendon": "ntendon", "actuator": "nactuator"}
        number = getattr(self.model, count[kind], None)
        out = []
        for index in range(self.model.nu if number is None else number):
            name = self.name(kind.upper(), index)
            out.append(self.document.place(lines.get(index), f"{word} {name!r}" if name else word))
        return out


def compile_model(document: MjcfDocument, findings: Findings) -> CompiledModel | None:
    """The compiled model; None where MuJoCo does not take the file, which is said."""
    try:
        import mujoco  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise UsageError(
            f"{document.file}: MJCF is read with MuJoCo's own parser: pip install 'gough[mjcf]' (or mujoco itself)"
        ) from None
    compiler = _Compiler(mujoco, document)
    if not document.meshes:
        return compiler.say(findings, compiler.compile({}, SIZES[0]))
    first, second = (compiler.compile({}, size) for size in SIZES)
    if isinstance(first, CompiledModel) and isinstance(second, CompiledModel) and not any(_differences(first, second)):
        return first
    files = _read_meshes(document.meshes)
    first, second = (compiler.compile(files, size) for size in SIZES)
    if isinstance(first, CompiledModel) and isinstance(second, CompiledModel):
        lost = [mesh for mesh in document.meshes if mesh.key not in files]
        for body in sorted(set(_differences(first, second))):
            _refuse_lost(body, first, lost, findings)
    return compiler.say(findings, first)


class _Compiler:
    def __init__(self, mujoco: Any, document: MjcfDocument) -> None:
        self.mujoco, self.document = mujoco, document
        self.warnings: list[str] = []

    def compile(self, files: Mapping[str, bytes], size: float) -> "CompiledModel | Exception":
        """The model with these meshes, and with solids of a size for the others."""
        solid = f"0 0 0 {size} 0 0 0 {size} 0 0 0 {4 * size}"  # long, so that capsules fit

        def attributes(mesh: MeshFile) -> dict[str, str]:
            return {"file": mesh.key} if mesh.key in files else {"vertex": solid}

        text, attached = self.document.texts(attributes)

        def compiled() -> "CompiledModel | Exception":
            try:
                with _hear(self.mujoco) as self.warnings:
                    spec = self.mujoco.MjSpec.from_string(text, include=attached, assets=dict(files))
                    return CompiledModel(self.mujoco, spec.compile(), spec, self.document)
            except Exception as error:  # MuJoCo raises ValueError and errors of its own
                return error

        # In a thread of its own: after some errors ("Caught an unknown exception!") MuJoCo 4.0 leaves its thread with a handler
        # of messages that calls itself, and the next message of any model there would never end.
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(compiled).result()

    def say(self, findings: Findings, found: "CompiledModel | Exception") -> CompiledModel | None:
        """Pass a model on; refuse the file with MuJoCo's words else, where nothing else was refused before."""
        if isinstance(found, CompiledModel):
            for words in self.warnings:
                findings.remark(Written(self.document.file, None, ""), f"MuJoCo: {re.sub(chr(10), ' ', words).strip()}")
            return found
        lost = [] if findings.problems else refuse_unknown(self.document, findings)
        if not findings.problems or (lost and not any(f"'{name}'" in str(found) for name in lost)):
            words = re.sub(r"\s+", " ", str(found)).strip() or type(found).__name__
            lines = [int(n) for n in re.findall(r"[Ll]ine (\d+)", words)]
            name = re.search(r"Element(?: name)? '([^']*)'", words)
            at = self.document.place(lines[-1] if lines else None, name[1] if name else "")
            said = re.sub(r"^(XML )?Error:? ?|,? ?[Ll]ine \d+|,? ?id -?\d+| ?Element(?: name)? '[^']*'", "", words)
            findings.refuse(at, f"MuJoCo does not take it: {said.strip(' ,:')}", "a model that MuJoCo compiles")
        return None


@contextmanager
def _hear(mujoco: Any) -> Iterator[list[str]]:
    """What MuJoCo warns of meanwhile, instead of on the terminal and in a file of its own."""
    heard: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda words: heard.append(str(words)))
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            yield heard
        heard += [str(one.message) for one in told]
    finally:
        mujoco.set_mju_user_warning(before)


def line_of(info: str) -> int | None:
    """The line that an element of the text stands in."""
    found = re.search(r"line (\d+)", info or "")
    return int(found[1]) if found else None


def _differences(first: CompiledModel, second: CompiledModel) -> Iterator[int]:
    """Bodies whose numbers differ; 0 for numbers of others."""
    for name in NUMBERS:
        a, b = (np.asarray(getattr(c.model, name)) for c in (first, second))
        if a.shape != b.shape:
            yield 0
        elif not np.array_equal(a, b):
            rows = np.flatnonzero((a != b).reshape(len(a), -1).any(axis=1))
            yield from (rows.tolist() if name.startswith("body_") else [0])


def _read_meshes(meshes: list[MeshFile]) -> dict[str, bytes]:
    out: dict[str, bytes] = {}
    total = 0
    for mesh in meshes:
        if mesh.trouble:
            continue
        try:
            data = read_file(mesh.path, MOST_MESH_BYTES)
        except (UnreadableFileError, OSError):
            mesh.trouble = "missing"
            continue
        total += len(data)
        if total <= MOST_BYTES_OF_ALL:
            out[mesh.key] = data
    return out


def _refuse_lost(body: int, compiled: CompiledModel, lost: list[MeshFile], findings: Findings) -> None:
    at = (
        compiled.places("body", compiled.spec.bodies, "body")[body]
        if body
        else Written(compiled.document.file, None, "")
    )
    model = compiled.model
    mine = {
        compiled.name("MESH", int(model.geom_dataid[g]))
        for g in range(model.ngeom)
        if model.geom_bodyid[g] == body and model.geom_dataid[g] >= 0
    }
    files = [m for m in lost if any(name.endswith(m.element.get("name") or "") for name in mine)] or lost
    reasons = "; ".join(TROUBLES[t] for t in dict.fromkeys(m.trouble or "missing" for m in files))
    names = choice_of([m.named for m in files])
    remedy = " and ".join(REMEDIES[t] for t in dict.fromkeys(m.trouble or "missing" for m in files))
    findings.refuse(
        at, f"its numbers follow from meshes that cannot be read, {names}: {reasons}", f"{remedy}; or <inertial>"
    )
