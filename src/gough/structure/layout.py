"""Names, units and places of the entries of q and v."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Layout:
    """q = [pose x y z qw qx qy qz | elastic | joints]; v = platform twist (vx vy vz wx wy wz, world axes)."""

    q_names: tuple[str, ...]
    q_units: tuple[str, ...]
    v_names: tuple[str, ...]
    v_units: tuple[str, ...]
    drive_names: tuple[str, ...]
    drive_units: tuple[str, ...]
    u_names: tuple[str, ...]
    n_elastic: int = 0

    @property
    def nq(self) -> int:
        """Number of entries of q."""
        return len(self.q_names)

    @property
    def nv(self) -> int:
        """Number of entries of v (mobility + elastic coordinates)."""
        return len(self.v_names)

    @property
    def nu(self) -> int:
        """Number of tree velocities: v's platform part and every joint rate."""
        return len(self.u_names)

    @property
    def pose(self) -> slice:
        """Where the platform's pose stands in q."""
        return slice(0, 7)

    @property
    def elastic(self) -> slice:
        """Where the elastic coordinates stand in q."""
        return slice(7, 7 + self.n_elastic)

    @property
    def joints(self) -> slice:
        """Where the joint coordinates stand in q."""
        return slice(self.elastic.stop, self.nq)

    def index(self, name: str) -> int:
        """Position of a named coordinate in q."""
        try:
            return self.q_names.index(name)
        except ValueError:
            raise KeyError(f"no coordinate {name!r}; there are {', '.join(self.q_names)}") from None
