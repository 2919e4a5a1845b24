"""Logs written by other programs come back as the record they were made of, in SI units."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import savemat

import gough

from .logs import log_of

MODEL = log_of("five_bar", 0.3).model
LEFT, RIGHT = MODEL.layout.drive_names


def table(rows: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    log = log_of("five_bar", 0.3)
    return log.t[:rows], log.x[:rows], log.tau[:rows]


def write(path: Path, header: str, columns: list[np.ndarray], mark: str = ",", comma: bool = False) -> Path:
    lines = [mark.join(repr(float(x)) for x in row) for row in np.stack(columns, axis=1)]
    text = "\n".join(lines)
    path.write_text(header + "\n" + (text.replace(".", ",") if comma else text) + "\n")
    return path


def same(record: gough.Record, rows: int = 400) -> None:
    t, x, f = table(rows)
    assert np.allclose(record.time - record.time[0], t, atol=1e-9)
    for k, drive in enumerate((LEFT, RIGHT)):
        assert np.allclose(record.positions[drive], x[:, k], rtol=1e-12)
        assert np.allclose(record.forces[drive], f[:, k], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("mark", "comma"), [(",", False), (";", False), (";", True), ("\t", False), (" ", False), ("|", False)]
)
def test_separators_units_and_comments(tmp_path: Path, mark: str, comma: bool) -> None:
    t, x, f = table()
    header = mark.join(
        ["time[ms]", "left_motor(deg)", "right_motor[rad]", "tau.left_motor", "right_motor.torque[mN.m]"]
    )
    header = "# a log of\n% some controller\n" + header
    columns = [1e3 * t, np.degrees(x[:, 0]), x[:, 1], f[:, 0], 1e3 * f[:, 1]]
    record = gough.read_record(write(tmp_path / "log.csv", header, columns, mark, comma), MODEL)
    same(record)
    assert any("tau.left_motor taken as force left_motor" in note for note in record.notes)


def test_a_line_of_units_a_header_in_a_comment_and_no_header(tmp_path: Path) -> None:
    t, x, f = table()
    columns = [1e3 * t, np.degrees(x[:, 0]), np.degrees(x[:, 1]), f[:, 0], f[:, 1]]
    names = "time,left_motor,right_motor,left_motor.force,right_motor.force"
    same(gough.read_record(write(tmp_path / "a.csv", names + "\nms,deg,deg,Nm,Nm", columns), MODEL))
    same(
        gough.read_record(
            write(tmp_path / "b.csv", f"# made by hand\n# {names}\n# units: ms,deg,deg,N m,N m", columns), MODEL
        )
    )
    numbered = {
        "0": "time [ms]",
        "1": {"is": "position left_motor", "unit": "deg"},
        "2": "position right_motor [deg]",
        "3": "force left_motor",
        "4": "force right_motor",
    }
    path = tmp_path / "c.csv"
    np.savetxt(path, np.stack(columns, axis=1), delimiter=",")
    same(gough.read_record(path, MODEL, numbered))


def test_numbered_columns_are_drives_in_their_order(tmp_path: Path) -> None:
    t, x, f = table()
    record = gough.read_record(write(tmp_path / "log.csv", "t,q1,q2,tau1,tau2", [t, *x.T, *f.T]), MODEL)
    same(record)
    assert "column q1 taken as position left_motor" in record.notes
    suffixed = write(tmp_path / "ms.csv", "time_ms,q1_deg,q2_deg,tau1,tau2", [1e3 * t, *np.degrees(x.T), *f.T])
    same(gough.read_record(suffixed, MODEL))


def test_column_maps_have_units_gains_offsets_signs_and_wraps(tmp_path: Path) -> None:
    t, x, f = table()
    counts = np.round((x[:, 1] - 0.1) / (2 * np.pi) * 8192) % 8192
    path = write(
        tmp_path / "log.csv",
        "stamp;enc a;enc b;iq a;iq b [A]",
        [t, -np.degrees(x[:, 0]), counts, f[:, 0] / 12.5, f[:, 1]],
        ";",
    )
    map_file = tmp_path / "columns.yaml"
    map_file.write_text(
        "columns:\n"
        "  stamp: time\n"
        "  enc a: {is: position left_motor, unit: deg, sign: -1}\n"
        f"  enc b: {{is: position right_motor, gain: {2 * np.pi / 8192}, offset: 0.1, wrap: 8192}}\n"
        "  iq a: {is: force left_motor, gain: 12.5}\n"
        "  iq b: {is: force right_motor, gain: 1.0}\n"
    )
    record = gough.read_record(path, MODEL, map_file)
    assert np.allclose(record.positions[LEFT], x[:, 0])
    turns = (record.positions[RIGHT] - x[:, 1]) / (2 * np.pi)
    assert np.allclose(turns, np.round(turns[0]), atol=1e-4)
    assert np.allclose(record.forces[LEFT], f[:, 0]) and np.allclose(record.forces[RIGHT], f[:, 1])


def test_wrong_maps_are_told_all_at_once(tmp_path: Path) -> None:
    t, x, f = table()
    path = write(tmp_path / "log.csv", "t,a,b,fa,fb [A]", [t, *x.T, *f.T])
    wrong: dict[str, Any] = {
        "t": "tiem",
        "a": {"is": "position left_motr"},
        "b": {"is": "position right_motor", "unit": "N"},
    }
    with pytest.raises(gough.UsageError) as told:
        gough.read_record(path, MODEL, wrong)
    for part in ("expected 'time'", "expected 'position left_motor'", "does not measure what rad does"):
        assert part in str(told.value)
    missing = {"t": "time", "aa": "position left_motor", "fb": "force right_motor"}
    with pytest.raises(gough.BadDataError) as told:
        gough.read_record(path, MODEL, missing)
    assert "no column 'aa' for position left_motor" in str(told.value) and "say gain: (in N m per A)" in str(told.value)
    with pytest.raises(gough.UsageError, match="said of several columns"):
        gough.read_record(path, MODEL, {"a": "time", "b": "time"})


def test_nothing_is_guessed_from_names_that_may_mean_two_things(tmp_path: Path) -> None:
    t, x, f = table()
    path = write(
        tmp_path / "log.csv",
        "t,left_motor,left_motor.pos,right_motor,left_motor.current",
        [t, x[:, 0], x[:, 0], x[:, 1], f[:, 0]],
    )
    with pytest.raises(gough.BadDataError) as told:
        gough.read_record(path, MODEL)
    text = str(told.value)
    assert "no column means force left_motor, force right_motor" in text
    assert "position left_motor: several columns could be it (left_motor, left_motor.pos)" in text
    assert "left_motor.current may be the motor current of left_motor: say its gain" in text


def test_cells_that_are_no_numbers_are_named_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    rows = [f"{k / 100},{0.1 * np.sin(k)},{0.1},{1.0},{2.0}" for k in range(30)]
    rows[3], rows[7] = "0.03,abc,0.1,1,2", "0.07,0.1,0.1"
    path.write_text("t,q0,q1,tau0,tau1\n" + "\n".join(rows))
    with pytest.raises(gough.UsageError) as told:
        gough.read_record(path, MODEL)
    assert f"{path}:5: q0: 'abc' is not a number" in str(told.value) and f"{path}:9: 3 cells for 5 columns" in str(
        told.value
    )


def test_mat_files(tmp_path: Path) -> None:
    t, x, f = table()
    data = {"t": t[None], "log": {"q": x, "f": f}, "note": "text", "gain": 3.0, "short": np.zeros(7)}
    savemat(tmp_path / "log.mat", data)
    columns = {"t": "time"} | {f"log.q[{k}]": f"position {d}" for k, d in enumerate((LEFT, RIGHT))}
    columns |= {f"log.f[{k}]": f"force {d}" for k, d in enumerate((LEFT, RIGHT))}
    same(gough.read_record(tmp_path / "log.mat", MODEL, columns))
    (tmp_path / "new.mat").write_bytes(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(128) + b"\x89HDF")
    with pytest.raises(gough.UsageError, match=r"which is HDF5; save it again by save\('new.mat', '-v7'\)"):
        gough.read_record(tmp_path / "new.mat", MODEL, columns)


def test_parquet_files(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    t, x, f = table()
    stamps = pyarrow.array((t * 1e6).round().astype("int64") + 10**15, type=pyarrow.timestamp("us"))
    fields = [pyarrow.field("q0", pyarrow.float64(), metadata={"unit": "deg"}), pyarrow.field("q1", pyarrow.float64())]
    fields = [
        pyarrow.field("time", stamps.type),
        *fields,
        pyarrow.field("tau0", pyarrow.float64()),
        pyarrow.field("tau1", pyarrow.float64()),
    ]
    arrays = [stamps, np.degrees(x[:, 0]), x[:, 1], f[:, 0], f[:, 1]]
    parquet.write_table(
        pyarrow.Table.from_arrays([pyarrow.array(a) for a in arrays], schema=pyarrow.schema(fields)),
        tmp_path / "log.parquet",
    )
    same(gough.read_record(tmp_path / "log.parquet", MODEL))


@pytest.mark.parametrize("version", [1, 2])
def test_ros_bags(tmp_path: Path, version: int) -> None:
    pytest.importorskip("rosbags")
    from rosbags.rosbag1 import Writer as Writer1
    from rosbags.rosbag2 import Writer as Writer2
    from rosbags.typesys import Stores, get_typestore

    t, x, f = table(200)
    store = get_typestore(Stores.ROS1_NOETIC if version == 1 else Stores.LATEST)
    kinds = store.types
    path = tmp_path / ("log.bag" if version == 1 else "log")
    writer = Writer1(path) if version == 1 else Writer2(path, version=9)
    with writer as bag:
        joints = bag.add_connection("/joint_states", "sensor_msgs/msg/JointState", typestore=store)
        pose = bag.add_connection("/tool", "geometry_msgs/msg/PoseStamped", typestore=store)
        for k, ns in enumerate((t * 1e9).round().astype(int) + 10**18):
            stamp = kinds["builtin_interfaces/msg/Time"](sec=int(ns // 10**9), nanosec=int(ns % 10**9))
            more = {"seq": k} if version == 1 else {}
            header = kinds["std_msgs/msg/Header"](stamp=stamp, frame_id="", **more)
            state = kinds["sensor_msgs/msg/JointState"](
                header=header,
                name=["right_motor", "left_motor"],
                position=x[k, ::-1].copy(),
                velocity=np.zeros(0),
                effort=f[k, ::-1].copy(),
            )
            raw = (
                store.serialize_ros1(state, state.__msgtype__)
                if version == 1
                else store.serialize_cdr(state, state.__msgtype__)
            )
            bag.write(joints, int(ns) + 5_000_000, raw)
            if k % 4 == 0:
                point = kinds["geometry_msgs/msg/Point"](x=float(t[k]), y=0.0, z=0.0)
                turn = kinds["geometry_msgs/msg/Quaternion"](x=0.0, y=0.0, z=0.0, w=1.0)
                placed = kinds["geometry_msgs/msg/PoseStamped"](
                    header=header, pose=kinds["geometry_msgs/msg/Pose"](position=point, orientation=turn)
                )
                raw = (
                    store.serialize_ros1(placed, placed.__msgtype__)
                    if version == 1
                    else store.serialize_cdr(placed, placed.__msgtype__)
                )
                bag.write(pose, int(ns), raw)
    record = gough.read_record(
        path,
        MODEL,
        {
            "/joint_states/left_motor/position": "position left_motor",
            "joint_states/right_motor/position": "position right_motor",
            "joint_states/left_motor/effort": "force left_motor",
            "joint_states/right_motor/effort": "force right_motor",
            "time": "time",
        },
    )
    same(record, 200)
    plain = gough.read_record(path, MODEL)  # /tool ends three samples before the joint states
    same(plain, 197)
    assert any("/tool: 50 messages, interpolated" in note for note in plain.notes)


def test_files_of_runs_are_logs(tmp_path: Path) -> None:
    log = log_of("five_bar", 0.3)
    run = gough.Run.from_states(
        MODEL, log.t[:400], log.q[:400], log.v[:400], log.tau[:400], acceleration=log.acceleration[:400]
    )
    for name in ("run.npz", "run.parquet", "run.csv"):
        run.save(tmp_path / name)
        same(gough.read_record(tmp_path / name, MODEL))
    with pytest.raises(gough.UsageError, match="a log is a file in"):
        gough.read_record(tmp_path / "run.xls", MODEL)


COLUMNS = "t,left_motor,right_motor,left_motor.force,right_motor.force"


def refused(path: Path, **more: Any) -> str:
    with pytest.raises(gough.UsageError) as told:
        gough.read_record(path, MODEL, **more)
    return str(told.value)


@pytest.mark.parametrize("header", ["b", "b [deg]"])
def test_an_offset_is_in_the_unit_of_the_column_or_in_its_own(tmp_path: Path, header: str) -> None:
    t, x, f = table()
    path = write(tmp_path / "log.csv", f"t,a,{header},c,d", [t, x[:, 0], np.degrees(x[:, 1]) - 90, *f.T])
    unit = {} if "deg" in header else {"unit": "deg"}
    rest = {"t": "time", "a": "position left_motor", "c": "force left_motor", "d": "force right_motor"}
    for offset in (90, "90", "90 deg", f"{np.pi / 2} rad"):
        entry = {"is": "position right_motor", "offset": offset, **unit}
        same(gough.read_record(path, MODEL, rest | {"b": entry}))
    turned = {"is": "position right_motor", "offset": -90, "gain": -1.0, "sign": -1, "unit": "deg"}
    record = gough.read_record(path, MODEL, rest | {"b": turned}, check=False)
    assert np.allclose(record.positions[RIGHT], x[:, 1] - np.pi)


@pytest.mark.parametrize("wrap", [0, -8192, "0 deg", "-360 deg"])
def test_a_wrap_of_nothing_is_refused(tmp_path: Path, wrap: Any) -> None:
    t, x, f = table()
    path = write(tmp_path / "log.csv", COLUMNS, [t, *x.T, *f.T])
    entry = {"left_motor": {"is": "position left_motor", "wrap": wrap}}
    assert "wrap: " in refused(path, columns=entry) and "is more than 0" in refused(path, columns=entry)


def test_a_rate_against_the_times_is_refused(tmp_path: Path) -> None:
    t, x, f = table()
    path = write(tmp_path / "log.csv", COLUMNS, [t, *x.T, *f.T])
    text = refused(path, rate_hz=100.0)
    assert "0.002 s, 500 Hz" in text and "rate_hz=100" in text
    same(gough.read_record(path, MODEL, rate_hz=500.0))


def test_nanoseconds(tmp_path: Path) -> None:
    t, x, f = table()
    for header in ("time [ns]", "time_ns"):
        same(gough.read_record(write(tmp_path / "a.csv", header + COLUMNS[1:], [1e9 * t, *x.T, *f.T]), MODEL))


def test_decimal_commas_after_whole_numbers(tmp_path: Path) -> None:
    t, x, f = table()
    path = write(tmp_path / "log.csv", COLUMNS.replace(",", ";"), [t, *x.T, *f.T], ";", comma=True)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], "0;2;1;0;0", *lines[2:]]))
    record = gough.read_record(path, MODEL)
    assert record.positions[LEFT][0] == 2.0 and np.allclose(record.positions[LEFT][1:], x[1:, 0])
    path.write_text(COLUMNS + "\n0,2,1,0,0\n0,002,2,019,1,001,0,1,0,1\n")
    assert ":3: 10 cells for 5 columns; decimal commas?" in refused(path)
    path.write_text(COLUMNS + "\n0,001,2,1,1,1,0,1,0,1\n")
    assert "decimal commas?" in refused(path)


def test_lines_below_the_header_that_are_not_numbers_are_named(tmp_path: Path) -> None:
    t, x, f = table()
    path = write(tmp_path / "log.csv", COLUMNS + "\n0,NA,1,2,3", [t + 0.002, *x.T, *f.T])
    assert "no number in row 0" in refused(path)
    assert np.isnan(gough.read_record(path, MODEL, check=False).positions[LEFT][0])
    write(path, COLUMNS + "\n0,abc,1,2,3", [t, *x.T, *f.T])
    assert f"{path}:2: left_motor: 'abc' is not a number" in refused(path)
    write(path, COLUMNS + "\ns,deg,furlong,Nm,Nm", [t, *x.T, *f.T])
    assert f"{path}:2: right_motor: 'furlong' is no unit" in refused(path)
    for stamp in ("2024-01-31T10:20:30.125", "10:20:30.125"):
        path.write_text(COLUMNS + f"\n{stamp},0,0,0,0\n")
        assert f"{path}:2: '{stamp}' is a date or a time of day" in refused(path)


def test_columns_that_are_left_out_are_named(tmp_path: Path) -> None:
    t, x, f = table()
    names = dict(zip(COLUMNS.replace(".", "_").split(","), [t, *x.T, *f.T], strict=True))
    savemat(
        tmp_path / "log.mat", names | {"left_motor_force": f[:-1, 0], "right_motor_force": 1j * f[:, 1], "q": "text"}
    )
    text = refused(tmp_path / "log.mat")
    for part in ("left_motor_force (399 rows, others have 400)", "right_motor_force (complex numbers)", "q (text)"):
        assert part in text
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table(names), tmp_path / "LOG.PARQUET")
    same(gough.read_record(tmp_path / "LOG.PARQUET", MODEL))
    parquet.write_table(pyarrow.table(names | {"left_motor": [str(v) for v in x[:, 0]]}), tmp_path / "log.parquet")
    assert "it was left out: text" in refused(tmp_path / "log.parquet", columns={"left_motor": "position left_motor"})


def test_a_folder_is_no_log_and_numbers_name_columns(tmp_path: Path) -> None:
    t, x, f = table()
    path = tmp_path / "c.csv"
    np.savetxt(path, np.stack([t, *x.T, *f.T], axis=1), delimiter=",")
    meant = ["time", "position left_motor", "position right_motor", "force left_motor", "force right_motor"]
    same(gough.read_record(path, MODEL, dict(enumerate(meant))))
    assert "is a folder, and no ROS 2 bag" in refused(tmp_path) and "c.csv" in refused(tmp_path)
