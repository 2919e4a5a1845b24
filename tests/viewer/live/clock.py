"""A clock that goes when it is told to."""


class Clock:
    """cost (s): that every look at it takes, as of a computer that is slow."""

    def __init__(self) -> None:
        self.time, self.cost = 100.0, 0.0

    def __call__(self) -> float:
        self.time += self.cost
        return self.time
