"""Names and units of the entries of a run's arrays: those of files of states (`gough eval`)."""

from gough.structure import Layout
from gough.structure.layout import TWIST_NAMES

ANGLES = ("yaw", "pitch", "roll")
ACCELERATION = ("ax", "ay", "az", "alphax", "alphay", "alphaz")
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
WRENCH_UNITS = ("N",) * 3 + ("N m",) * 3
TWIST_UNITS = ("m/s",) * 3 + ("rad/s",) * 3
DEFLECTION = ("dx", "dy", "dz", "rx", "ry", "rz")
DEFLECTION_UNITS = ("m",) * 3 + ("rad",) * 3


def rate_columns(layout: Layout, names: tuple[str, ...]) -> tuple[str, ...]:
    """Columns of rates: vx … wz of a platform's twist, "v.NAME" of everything else."""
    own = TWIST_NAMES if layout.n_pose else ()
    return tuple(n if n in own else f"v.{n}" for n in names)


def acceleration_columns(layout: Layout) -> tuple[str, ...]:
    """Columns of v̇: ax … alphaz of a platform, "a.NAME" of everything else."""
    own: dict[str, str] = dict(zip(TWIST_NAMES, ACCELERATION, strict=True)) if layout.n_pose else {}
    return tuple(own.get(n, f"a.{n}") for n in layout.v_names)


def force_columns(layout: Layout) -> tuple[str, ...]:
    """Columns of drive forces."""
    return tuple(f"tau.{name}" for name in layout.drive_names)


def drive_units(layout: Layout) -> tuple[str, ...]:
    """Units of the drives' coordinates."""
    return tuple("rad" if unit == "N m" else "m" for unit in layout.drive_units)


def quaternions(names: tuple[str, ...]) -> list[int]:
    """Where unit quaternions (four entries …qw …qx …qy …qz) start among names of coordinates."""
    found = []
    for i, name in enumerate(names[: max(len(names) - 3, 0)]):
        stem = name[:-2]
        if name.endswith("qw") and names[i + 1 : i + 4] == (f"{stem}qx", f"{stem}qy", f"{stem}qz"):
            found.append(i)
    return found
