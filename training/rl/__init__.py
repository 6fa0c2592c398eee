"""Reinforcement learning of agents: advantage estimators, and small trees with known values."""
