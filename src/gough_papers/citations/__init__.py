"""Where the papers' equations live: citations in the source, found by equation; what is printed wrong.

The source cites papers in docstrings, comments and gallery files in one form, a short name and places between brackets.
`index()` reads the installed packages for them, `find()` answers a question in the words of a reader.
"""

from gough_papers.citations.errata import ErrataTable, Misprint, Unused, errata, misprints_of, unused_equations
from gough_papers.citations.index import Found, Mention, Query, find, index, read_query
from gough_papers.citations.places import EQUATIONS, PAPERS, PaperPlace, read_places, spell

__all__ = [
    "EQUATIONS",
    "PAPERS",
    "ErrataTable",
    "Found",
    "Mention",
    "Misprint",
    "PaperPlace",
    "Query",
    "Unused",
    "errata",
    "find",
    "index",
    "misprints_of",
    "read_places",
    "read_query",
    "spell",
    "unused_equations",
]
