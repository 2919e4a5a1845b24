"""Mechanisms with flexible bodies: `lagrange.FlexibleReference`, on mass points with shape functions (`points`)."""
