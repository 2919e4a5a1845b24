"""All configurations a robot can be assembled in for given drives, and proofs that there are no more."""
