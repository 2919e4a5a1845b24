"""Flexible bodies of finite elements as fields at quadrature points, for the references of flexible bodies."""
