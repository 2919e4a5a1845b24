"""Numbers drawn by chance inside compiled loops: each follows from a key and a counter alone, in any order, on any machine.

A Feistel network of ten rounds on two words of 26 bits: (l, r) becomes (r, l + ⌊r (r + k) / 2^13⌉) modulo 2^26, in whole numbers
between ± 2^25, whose products are exact in doubles; k comes from a key. A key says seed, run and who draws; a counter which
sample and which pair, as with the generators of [Salmon 2011]. Two words make two uniform numbers, and these two normal ones by
Box and Muller.
"""

import hashlib
from math import log, pi
from typing import Any

import numpy as np

from gough.scalar import cos, round_, select, sin, sqrt

Vector = np.ndarray
WORD = 2.0**26
WEYL = 0x278DDE7
ROUNDS = 10
TERMS = 11
"""Of the series of the logarithm, whose argument is below 0.03."""


def key_of(seed: int, run: int, name: str) -> Vector:
    """Two words (2,), within ± 2^25, that say who draws."""
    found = hashlib.blake2b(f"{seed} {run} {name}".encode(), digest_size=8).digest()
    return np.array([_wrap(float(int.from_bytes(found[k : k + 4], "little"))) for k in (0, 4)])


def _wrap(x: Any) -> Any:
    """A whole number modulo 2^26, within ± 2^25."""
    return x - WORD * round_(x * (1.0 / WORD))


def scramble(key: Vector, left: Any, right: Any) -> tuple[Any, Any]:
    """Two words that look drawn by chance, of two words that count."""
    for k in range(ROUNDS):
        step = _wrap(float(k * WEYL))
        mixed = right * (right * 0.5 + (key[k % 2] + step) * 0.5)
        left, right = right, _wrap(left + round_(mixed * 2.0**-12))
    return left, right


def uniform_pair(key: Vector, sample: Any, pair: int) -> tuple[Any, Any]:
    """Two independent numbers, evenly between 0 and 1, of a sample."""
    found = scramble(key, sample, float(pair))
    first, second = ((x + (0.5 * WORD + 1.0)) * (1.0 / (WORD + 2.0)) for x in found)
    return first, second


def normal_numbers(key: Vector, sample: Any, count: int) -> Vector:
    """Independent numbers (count,) of mean 0 and variance 1, of a sample; they end at ± 6.1."""
    out: list[Any] = []
    for pair in range((count + 1) // 2):
        a, b = uniform_pair(key, sample, pair)
        radius, angle = sqrt(-2.0 * logarithm(a)), b * (2.0 * pi)
        out += [radius * cos(angle), radius * sin(angle)]
    return np.array(out[:count], dtype=object)


def logarithm(x: Any) -> Any:
    """Of 2^-31 < x < 1: 2 artanh((m - c) / (m + c)) + log c + log 2^e, x = m 2^e, 1/2 <= m < 1, c = √½."""
    m, e = x, 0.0
    for bits in (16, 8, 4, 2, 1):
        small = 2.0**-bits - m
        m, e = select(small, m * 2.0**bits, m), e + select(small, float(-bits), 0.0)
    c = 0.5**0.5
    s = (m - c) / (m + c)
    z, series = s * s, 0.0
    for k in reversed(range(TERMS)):
        series = series * z + 1.0 / (2 * k + 1)
    return 2.0 * s * series + (e * log(2.0) + log(c))
