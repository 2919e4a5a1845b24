"""`gough eval`: a function of a robot on a file of states."""

import csv
import io
import itertools
from array import array
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from gough.cli.failure import BAD_STATES, INTERRUPTED
from gough.cli.functions import column_names, inputs_of, prescribed_names, run_function
from gough.cli.opening import Json, RobotName, Set, open_model
from gough.cli.output import note, say, write_json
from gough.cli.states import Inputs, gather, known_names
from gough.errors import GOOD, Failure, UsageError
from gough.files import npz, read_npz, write_file
from gough.text import cells, check_columns, demand_file, number, printable, read_lines, wrong_count, wrong_label

CHUNK = 65536
"""States between two chances to stop."""


class OnBadState(StrEnum):
    """What is said about bad states; their rows are NaN and the exit code is 3 either way."""

    raise_ = "raise"
    mark = "mark"


def evaluate(
    robot: RobotName,
    function: Annotated[
        str, typer.Argument(metavar="FUNCTION", help="For instance inverse_dynamics, mass_matrix, frame_pose:tool.")
    ],
    state: Annotated[Path, typer.Option("--state", help="States: .csv (a state a row) or .npz (arrays).")],
    out: Annotated[Path | None, typer.Option("--out", help="Result: .csv or .npz. Default: CSV on stdout.")] = None,
    on_bad_state: Annotated[
        OnBadState, typer.Option("--on-bad-state", help="raise: list the bad states. mark: only say how many.")
    ] = OnBadState.raise_,
    variables: Set = None,
    json: Json = False,
) -> None:
    """Evaluate a function on a file of states.

    Columns of a CSV file, or 1-D arrays of an NPZ file (SI units, rad, world axes, platform origin):

    \b
      x y z and qw qx qy qz       pose, unit quaternion; or
      x y z and yaw pitch roll    pose, R = Rz(yaw) Ry(pitch) Rx(roll); or
      all names of q              a whole configuration (`gough show ROBOT` lists them); or
      NAME of each drive          drive coordinates (from home, by Newton's method); or
      NAME of each freedom        where there is no platform, or one with other than six freedoms: as many of
                                  x y z yaw pitch roll and of the joint coordinates as there are freedoms
      BODY.LABEL                  elastic coordinates of flexible bodies, all of them (default 0)
      vx vy vz wx wy wz           twist (default 0); those of them that are independent velocities
      v.NAME                      rate of joint coordinate NAME, where it is an independent velocity (default 0)
      ax ay az alphax alphay alphaz, a.NAME   their derivatives (default 0)
      fx fy fz mx my mz           wrench of the surroundings on the platform, where there is one (default 0)
      tau.NAME                    force of drive NAME, for instance tau.leg0.slide
      t                           time, copied to the result

    `gough show ROBOT` says which columns a robot has. Arrays of an NPZ file may also be q (n, nq), pose (n, 7),
    elastic, v (n, nv), acceleration (n, mobility), vdot (n, nv), wrench (n, 6), tau, drives (n, drives).

    Robots with fewer drives than freedoms have no inverse_dynamics; their joint_reactions take tau, not accelerations.
    hybrid_dynamics:NAME,… takes the accelerations a.NAME of the velocities it names, or the array prescribed.

    The result has the function's outputs, `status` (0 good, else the code of gough.Status) and `problem` (why). Results
    of bad states are NaN; all results are written, and the exit code is 3 if any state is bad.

    JSON keys: robot, function, states, bad[] (index status problem), outputs {name: columns, values} or out.
    """
    table = read_table(state)
    model, _ = open_model(robot, variables=variables)
    if is_run(state):  # works, references, energies: channels of a run that are no part of a state
        known = set(known_names(model))
        more = [name for name in table if name not in known]
        table = {name: x for name, x in table.items() if name in known}
        if more:
            note(f"note: {state} is a run; channels that are no part of a state are not read: {', '.join(more)}")
    inputs = gather(model, table, inputs_of(model, function), prescribed_names(function))
    for text in inputs.assumed:
        note(f"note: {text}")
    if inputs.unused:
        note(f"note: not used by {function}: {', '.join(inputs.unused)}")
    outputs, failed, interrupted = _batches(model, function, inputs)
    n = len(failed)
    columns = column_names(model, outputs)
    arrays = ({} if inputs.t is None else {"t": inputs.t[:n]}) | outputs | _statuses(failed)
    names = {"t": ["t"], "status": ["status"], "problem": ["problem"]} | columns
    if out is not None:
        write_table(out, arrays, names)
    bad = [{"index": int(i), **_reason(failed[i])} for i in np.flatnonzero(failed != GOOD)]
    if json:
        values = {k: {"columns": columns[k], "values": x} for k, x in outputs.items()}
        result: dict[str, Any] = {"out": str(out)} if out is not None else {"outputs": values}
        write_json({"robot": model.robot.name, "function": function, "states": n, "bad": bad} | result)
    elif out is None:
        say(csv_text(arrays, names).rstrip("\n"))
    _finish(function, failed, on_bad_state, interrupted, len(inputs.failed))


def _batches(model: Any, function: str, inputs: Inputs) -> tuple[dict[str, np.ndarray], np.ndarray, bool]:
    """(outputs, failed checks, interrupted): as many states as were done."""
    n, interrupted = len(inputs.failed), False
    parts: list[dict[str, np.ndarray]] = []
    failures: list[np.ndarray] = []
    try:
        for start in range(0, max(n, 1), CHUNK):
            rows = slice(start, min(start + CHUNK, n))
            before = inputs.failed[rows]
            outputs, failed = run_function(model, function, {k: x[rows] for k, x in inputs.slots.items()})
            failed = np.where(before != GOOD, before, failed)
            parts.append({k: _blank(x, failed != GOOD) for k, x in outputs.items()})
            failures.append(failed)
    except KeyboardInterrupt:
        if not parts:
            raise
        interrupted = True
    joined = {k: np.concatenate([part[k] for part in parts]) for k in parts[0]}
    return joined, np.concatenate(failures), interrupted


def _blank(x: np.ndarray, bad: np.ndarray) -> np.ndarray:
    x = np.array(x, dtype=float)
    x[bad] = np.nan
    return x


def _statuses(failed: np.ndarray) -> dict[str, np.ndarray]:
    from gough.compilation.status import codes

    texts = np.array([_reason(failure)["problem"] if failure else "" for failure in failed], dtype=str)
    return {"status": codes(failed), "problem": texts}


def _reason(failure: Failure) -> dict[str, Any]:
    return {"status": int(failure.status), "problem": f"{failure.status.name} at {failure.place}"}


def _finish(function: str, failed: np.ndarray, on_bad_state: OnBadState, interrupted: bool, total: int) -> None:
    from gough.errors import EXPLANATION

    bad = np.flatnonzero(failed != GOOD)
    if len(bad):
        note(f"{function}: {len(bad)} of {len(failed)} states are bad; their results are NaN")
        kinds: dict[Failure, list[int]] = {}
        for i in bad if on_bad_state is OnBadState.raise_ else []:
            kinds.setdefault(failed[i], []).append(int(i))
        for failure, states in kinds.items():
            text = EXPLANATION[failure.status]
            note(f"  {len(states)} × {_reason(failure)['problem']} (first: state {states[0]}): {text}")
    if interrupted:
        note(f"interrupted after {len(failed)} of {total} states; those are written")
        raise typer.Exit(INTERRUPTED)
    if len(bad):
        raise typer.Exit(BAD_STATES)


# Files of states: NPZ with arrays, CSV with one state a row; in and out.

OF_RUN = '# about: {"kind": "gough run"'
"""How the third line of a run's .csv file begins."""
Table = dict[str, np.ndarray]
TEXT = "problem"
"""The one column of texts in a result; it is not read."""


def read_table(path: Path) -> Table:
    """Named arrays of an .npz file, or named columns (n,) of a .csv file."""
    if path.suffix == ".npz":
        return _read_npz(path)
    if path.suffix == ".csv":
        return _read_csv(path)
    raise UsageError(f"{path}: the name of a file of states ends in .npz or .csv")


def _read_npz(path: Path) -> Table:
    demand_file(path)
    arrays = read_npz(path, "an .npz file of numbers")
    arrays.pop(TEXT, None)
    wrong = [name for name, x in arrays.items() if x.dtype.kind not in "fiub" or wrong_label(name) is not None]
    if wrong:
        raise UsageError(f"{path}: {printable(wrong[0])!r} is no array of real numbers with a name that can be shown")
    return {name: x.astype(float) for name, x in arrays.items()}


def _read_csv(path: Path) -> Table:
    lines = ((k, line) for k, line in read_lines(path) if line.strip() and (k == 1 or not line.startswith("#")))
    first, head = next(lines, (0, ""))
    if not first:
        raise UsageError(f"{path}: an empty file; the first line names the columns")
    header = [name.strip() for name in cells(f"{path}:{first}", head.lstrip("# "))]
    check_columns(f"{path}:{first}", header)
    rows = array("d")
    for k, line in lines:
        found = cells(f"{path}:{k}", line)
        if len(found) != len(header):
            raise wrong_count(f"{path}:{k}", len(found), header, line)
        for name, cell in zip(header, found, strict=True):
            known = cell.strip() and name != TEXT  # an empty cell is a number nobody knows
            rows.append(number(f"{path}:{k}: column {name}", cell) if known else np.nan)
    table = np.frombuffer(rows).reshape(-1, len(header)) if rows else np.zeros((0, len(header)))
    return {name: table[:, i] for i, name in enumerate(header) if name != TEXT}


def is_run(path: Path) -> bool:
    """Whether a .csv file is one that a run was written to: it says so below its header."""
    if path.suffix != ".csv":
        return False
    return any(line.startswith(OF_RUN) for _, line in itertools.islice(read_lines(path), 3))


def write_table(path: Path, arrays: Table, columns: dict[str, list[str]]) -> None:
    """Write arrays (n, …) as they are (.npz) or as columns (.csv); `columns` names the entries of each array."""
    if path.suffix == ".npz":
        write_file(path, npz(arrays, compressed=False))
    elif path.suffix == ".csv":
        write_file(path, csv_text(arrays, columns))
    else:
        raise UsageError(f"{path}: the name of a result file ends in .npz or .csv")


def csv_text(arrays: Table, columns: dict[str, list[str]]) -> str:
    """Arrays (n, …) as CSV; numbers are written so that they read back the same."""
    n = len(next(iter(arrays.values())))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([name for key in arrays for name in columns[key]])
    cells = [arrays[key].reshape(n, len(columns[key])).tolist() for key in arrays]
    for row in zip(*cells, strict=True):
        writer.writerow([entry for part in row for entry in part])
    return out.getvalue()
