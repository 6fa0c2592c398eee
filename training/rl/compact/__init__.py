"""Training of the compact policy."""
