"""Models that several tests share: compiled once."""

from functools import lru_cache

import gough

model_of = lru_cache(gough.build)
