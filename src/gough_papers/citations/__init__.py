"""Where the papers' equations live: citations in the source, found by equation; what is printed wrong.

The source cites papers in docstrings, comments and gallery files in one form, a short name and places between brackets.
`index()` reads the installed package for them, `find()` answers a question in the words of a reader.
"""

from gough_papers.citations.errata import Misprint, errata, misprints_of
from gough_papers.citations.index import Mention, index
from gough_papers.citations.names import PAPERS
from gough_papers.citations.places import Place, read_places
from gough_papers.citations.search import Found, Query, find, read_query

__all__ = [
    "PAPERS",
    "Found",
    "Mention",
    "Misprint",
    "Place",
    "Query",
    "errata",
    "find",
    "index",
    "misprints_of",
    "read_places",
    "read_query",
]
