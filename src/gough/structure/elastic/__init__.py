"""Flexible bodies of a robot: from their description to constants, coordinates and links.

`bodies` says where things are attached and makes the constants, `elements` and `reduction` compute them, `bending` writes them
into the structure that is built, `places` are the positions they then have; `load_paths` looks for loads that shapes do not
follow.
What is heavy (scipy, scikit-fem, readers of files) is imported when a robot has such a body, never before: `bodies` imports
`reduction` late, and `gough.fem` loads its names when first used.
"""
