"""One configuration at a time, led by machine code: the ways of batches, step for step, without their overhead."""
