"""Outside truth: slow, independent models of any robot description, sharing no formula with `gough`.

`energies`: Lagrange's equations from energies in 4x4 homogeneous matrices, differentiated by CasADi. `flexible` adds
elastic coordinates, `elements` bodies of finite elements. `peers`: the tree in another library, closed by `peers.cuts`.
`designs`: random robots of every shape.
"""
