"""Names, units and places of the entries of q and v."""

from dataclasses import dataclass

from gough.robot.coordinates import POSE_NAMES, TWIST_NAMES
from gough.text import short_repr

__all__ = ["POSE_NAMES", "POSE_UNITS", "TWIST_NAMES", "Layout"]

POSE_UNITS = ("m", "m", "m", "1", "1", "1", "1")


@dataclass(frozen=True)
class Layout:
    """q = [pose x y z qw qx qy qz | elastic | joints], without a platform no pose.

    v: independent velocities, components of the platform's twist (vx vy vz wx wy wz, world axes) or joint rates: those that
    motions lead, then idle ones, which no drive moves and no closure fixes, then elastic rates.
    u: all velocities of the tree, the platform's twist first.
    """

    q_names: tuple[str, ...]
    q_units: tuple[str, ...]
    v_names: tuple[str, ...]
    v_units: tuple[str, ...]
    drive_names: tuple[str, ...]
    drive_units: tuple[str, ...]
    u_names: tuple[str, ...]
    u_units: tuple[str, ...]
    n_pose: int = 7
    n_elastic: int = 0
    v_elastic: int = 0
    """Elastic rates among the entries of v: they stand last."""
    v_idle: int = 0
    """Idle rates among the entries of v: they stand after those that are led, before the elastic ones."""

    @property
    def nq(self) -> int:
        """Number of entries of q."""
        return len(self.q_names)

    @property
    def nv(self) -> int:
        """Number of entries of v (mobility + idle + elastic ones)."""
        return len(self.v_names)

    @property
    def mobility(self) -> int:
        """Number of entries of v that motions lead: neither idle nor elastic rates."""
        return self.rigid - self.v_idle

    @property
    def rigid(self) -> int:
        """Number of entries of v that are no elastic rates: those that are led, and idle ones."""
        return self.nv - self.v_elastic

    @property
    def idle(self) -> slice:
        """Where the idle rates stand in v."""
        return slice(self.mobility, self.rigid)

    @property
    def idle_names(self) -> tuple[str, ...]:
        """Names of the idle rates."""
        return self.v_names[self.idle]

    @property
    def nu(self) -> int:
        """Number of tree velocities: the platform's twist and every joint rate."""
        return len(self.u_names)

    @property
    def n_joints(self) -> int:
        """Number of joint coordinates in q."""
        return self.nq - self.n_pose - self.n_elastic

    @property
    def pose(self) -> slice:
        """Where the platform's pose stands in q."""
        return slice(0, self.n_pose)

    @property
    def elastic(self) -> slice:
        """Where the elastic coordinates stand in q."""
        return slice(self.n_pose, self.n_pose + self.n_elastic)

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

    __repr__ = short_repr
