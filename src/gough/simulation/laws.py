"""What can act on the drives in `gough.simulate`."""

from gough.simulation.law import Follow, Free, Law, Replay

__all__ = ["Follow", "Free", "Law", "Replay"]
