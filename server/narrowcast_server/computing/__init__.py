"""Computations whose cost the server cannot foresee: in processes beside it, which end when they take too long."""
