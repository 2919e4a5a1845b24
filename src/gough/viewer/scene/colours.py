"""Colours of what is drawn; and a scale from dark violet over blue and green to yellow, even steps of it looking evenly apart.

Lightness rises linearly while the hue goes around, in Oklab (B. Ottosson's perceptual space).
"""

import numpy as np

LIGHTNESS = (0.42, 0.91)
HUE = (295.0, 105.0)
CHROMA = (0.115, 0.16)


def scale_colours(count: int) -> np.ndarray:
    """(count, 3) colours 0 … 255 from the scale's low to its high end."""
    t = np.linspace(0.0, 1.0, count)
    L = LIGHTNESS[0] + t * (LIGHTNESS[1] - LIGHTNESS[0])
    hue = np.radians(HUE[0] + t * (HUE[1] - HUE[0]))
    chroma = CHROMA[0] + t * (CHROMA[1] - CHROMA[0])
    return _srgb(np.column_stack([L, chroma * np.cos(hue), chroma * np.sin(hue)]))


def _srgb(lab: np.ndarray) -> np.ndarray:
    """Oklab (n, 3) to sRGB 0 … 255; what a screen cannot show is clipped."""
    roots = lab @ np.array(
        [[1.0, 1.0, 1.0], [0.3963377774, -0.1055613458, -0.0894841775], [0.2158037573, -0.0638541728, -1.2914855480]]
    )
    linear = roots**3 @ np.array(
        [
            [4.0767416621, -1.2684380046, -0.0041960863],
            [-3.3077115913, 2.6097574011, -0.7034186147],
            [0.2309699292, -0.3413193965, 1.7076147010],
        ]
    )
    linear = np.clip(linear, 0.0, 1.0)
    coded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.round(255 * coded).astype(np.uint8)


# Colours: calm, legible on light and on dark. Drives have the one accent; red is for what is bad.

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


def mix_colours(colour: Colour, tint: Colour, part: float = 0.7) -> Colour:
    """Nearer to `tint` by a part of the way."""
    a, b, c = (round((1 - part) * x + part * y) for x, y in zip(colour, tint, strict=True))
    return a, b, c
