"""What a result rests on, as BibTeX: gough, the papers a robot's data come from, methods that are used."""

from gough_papers.bibliography.basis import Basis, Reason, basis
from gough_papers.bibliography.reference import Reference, references

__all__ = ["Basis", "Reason", "Reference", "basis", "references"]
