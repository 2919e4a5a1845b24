"""Colours: calm, legible on light and on dark. Drives have the one accent; red is for what is bad."""

Colour = tuple[int, int, int]

ROLES: dict[str, Colour] = {
    "base": (116, 122, 130),
    "link": (196, 202, 210),
    "rod": (214, 218, 224),
    "platform": (94, 126, 166),
    "joint": (62, 68, 76),
    "drive": (226, 138, 36),
    "spring": (138, 158, 120),
    "inertia": (150, 122, 184),
}
BAD: Colour = (214, 48, 49)
GRID: Colour = (205, 210, 217)
GRID_SECTION: Colour = (184, 191, 200)


def mixed(colour: Colour, tint: Colour, part: float = 0.7) -> Colour:
    """Nearer to `tint` by a part of the way."""
    a, b, c = (round((1 - part) * x + part * y) for x, y in zip(colour, tint, strict=True))
    return a, b, c
