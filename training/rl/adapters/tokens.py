"""Estimators for trainers that hand over rewards by token and groups, and nothing else.

    register_adv_est("docpipe_rloo")(token_estimator("rloo"))               # verl
    AdvantageEstimatorRegistry.register("docpipe_rloo", token_estimator("rloo"))    # SkyRL

Estimators that compare trajectories need more than these trainers give: use rLLM's adapter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from docpipe.training.rl.rollouts import Rollouts, by_question, estimate

Estimator = Callable[..., tuple[torch.Tensor, torch.Tensor]]


def token_estimator(name: str, **options: Any) -> Estimator:
    """The estimator called `name` as a function of `token_level_rewards` and `response_mask`
    [B, L], and `index` [B], which says which rollouts are of one question; to advantages and
    returns [B, L]. It raises ConfigError where the estimator needs more, and for groups that are
    not equally large."""

    def computed(
        token_level_rewards: torch.Tensor, response_mask: torch.Tensor, index: Any, **_: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        questions = np.asarray(index)
        rewards = token_level_rewards.sum(-1).double().cpu().numpy()
        lengths = response_mask.sum(-1).double().cpu().numpy()
        batch = Rollouts(
            rewards=by_question(rewards, questions), lengths=by_question(lengths, questions)
        )
        order = by_question(np.arange(len(rewards)), questions).reshape(-1)
        found = np.empty(len(rewards))
        found[order] = estimate(name, batch, **options)[..., 0].reshape(-1)
        spread = response_mask * torch.as_tensor(found).to(token_level_rewards)[:, None]
        return spread, spread

    return computed
