"""Reinforcement learning of agents: advantage estimators, trees with known values to judge them
by, and the training of policies (docs/training-agent.md)."""
