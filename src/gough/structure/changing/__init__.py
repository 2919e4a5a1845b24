"""Other parameters of a design written back into its description: `change_parameters`, in public `robot.with_parameters`.

`_spelling`: a description with all its numbers stated. `_symbols`: with a symbol in the place of each, so that the structure
built from it says what each parameter is of them. `_solving`: the numbers that give the wanted parameters. `_writing`: these
numbers, and where they come from, in the description's own form. `_comparing`: with what is built from it. `change`: all of it.
"""
