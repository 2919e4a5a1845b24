"""Mechanisms whose motion is known: benchmarks with published or closed answers, and the gallery's own designs."""
