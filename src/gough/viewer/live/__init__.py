"""A robot that runs while it is looked at: the loop in real time, its laws with gains to move, the push on a body."""
