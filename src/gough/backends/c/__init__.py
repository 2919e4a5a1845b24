"""C99 text of programs: readable, self-contained, without allocation; the same text serves CUDA."""

from gough.backends.c.design import Fixed
from gough.backends.c.rolling import rolled_listing
from gough.backends.c.source import Listing, header, source
from gough.backends.c.writing import flat_listing

__all__ = ["Fixed", "Listing", "flat_listing", "header", "rolled_listing", "source"]
