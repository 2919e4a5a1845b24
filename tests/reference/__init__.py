"""Outside truth: slow, independent models of a robot description, sharing no formula with `gough`.

`lagrange`: energies in 4x4 homogeneous matrices, differentiated by CasADi. `mujoco_peer` and `pinocchio_peer`:
the tree in another library, closed by `cuts`. `designs` and `states`: random robots and assembled states.
Modules named `general_…` are the same for any mechanism: trees of any shape, any loops, any independent velocities.
"""
