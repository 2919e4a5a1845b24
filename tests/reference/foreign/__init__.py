"""Files of other programs, read by other programs: their dynamics beside a model's (`comparing.compare`).

A peer reads the file itself and gives the reduced equations M v̇ + h = S τ in the model's own velocities v (`Reduced`).
"""
