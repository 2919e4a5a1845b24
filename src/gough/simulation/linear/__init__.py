"""Small motions about rest: a law by its exact derivatives, and the loop of law and robot as matrices."""
