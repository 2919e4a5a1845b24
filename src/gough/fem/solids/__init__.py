"""Solids of tetrahedra and hexahedra."""
