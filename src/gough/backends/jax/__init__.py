"""Programs as JAX functions."""

from gough.backends.jax.function import to_jax

__all__ = ["to_jax"]
