"""The bench `advantages`: estimators against the exact policy gradient of small random trees.

It needs no data. Figures are named experiment/setting/estimator/measure, a row for each seed:

    scale      the mean gradient's length along the true one (1: as it should be)
    bias       squared length of what is across, over that along it; its estimate is unbiased and so
               may be below 0
    variance   of the gradient of one batch after division by the scale, for the same number of
               sampled turns, over that of `rloo` on 8 plain rollouts of the same trees
    predicted  the variance of known_values by the formula of `predicted_variance`
    closed N   share of the way from the first policy's value to the best one's after N updates;
               `closed mean` is over all of them, by the `rate` that makes it highest on average,
               `gain` its difference to that of `rloo`
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from docpipe.bench.advantage_contestants import CONTESTANTS
from docpipe.bench.result import Measured, Row
from docpipe.bench.task import Options
from docpipe.training.rl.rollouts import Floats
from docpipe.training.rl.tabular import (
    Episodes,
    Forest,
    TreeShape,
    draw_forest,
    gradient_estimate,
    roll,
    side_by_side,
)

SEEDS = 20
QUESTIONS = 16
BATCHES = 24
GROUP = 8
STEPS = 40
RATES = (4.0, 8.0, 16.0, 32.0)
CHECKPOINTS = 8
REFERENCE = "rloo"
EXPECTED = 0


class Setting(msgspec.Struct, frozen=True):
    """Trees, how they are rolled out, and the estimators to try."""

    experiment: str
    name: str
    contestants: tuple[str, ...]
    shape: TreeShape = TreeShape()
    forks: tuple[int, ...] = ()
    answers: int = 1

    @property
    def rolled(self) -> tuple[int, ...]:
        """Forks by turn; GROUP rollouts without forks unless said otherwise."""
        return self.forks or plain(GROUP, self.shape.turns)


def plain(count: int, turns: int) -> tuple[int, ...]:
    """`count` rollouts without forks."""
    return (count, *(1,) * (turns - 1))


ALL = ("reinforce", "reinforce_pp", "dr_grpo", "grpo", "rloo", "gigpo", "spo_near", "spo_far",
       "spo_leave_one_out", "spo_softmax", "spo_prefix", "spo_prefix_graded", "kriging_question",
       "kriging", "gae_fitted", "known_values")  # fmt: skip
BY_TURN = ("dr_grpo", "rloo", "spo_near", "spo_prefix", "spo_prefix_graded", "kriging_question",
           "kriging", "known_values")  # fmt: skip
FORKED = ("rloo", "rloo_turns", "spo_prefix", "kriging_forks", "known_values")
CLEAR = TreeShape(actions=2, effect=4.0, difficulty=0.0, certain=True)
FOUND = TreeShape(evidence=0.25)
SHAPES = ((8, 1, 1, 1), (6, 1, 1, 2), (4, 1, 1, 4), (4, 1, 2, 2), (4, 2, 1, 2), (2, 2, 2, 2))

SETTINGS = (
    Setting("all", "plain", ALL),
    Setting("all", "evidence", ("rloo_turns", *ALL), FOUND),
    *(
        Setting("divergence", f"{count} actions", BY_TURN, TreeShape(actions=count, turns=3))
        for count in (2, 4, 8, 16)
    ),
    *(
        Setting("group", f"{count} rollouts", BY_TURN, forks=plain(count, 4))
        for count in (4, 8, 16, 32)
    ),
    *(
        Setting("clear", f"{count} rollouts", BY_TURN, CLEAR, plain(count, 4))
        for count in (4, 8, 16, 32)
    ),
    *(Setting("depth", f"{turns} turns", BY_TURN, TreeShape(turns=turns)) for turns in (2, 4, 6)),
    *(
        Setting(experiment, f"{count} answers", BY_TURN, shape, answers=count)
        for experiment, shape in (("answers", TreeShape()), ("answers_evidence", FOUND))
        for count in (1, 2, 4, 8, EXPECTED)
    ),
    *(
        Setting(experiment, "-".join(map(str, forks)), FORKED, shape, forks)
        for experiment, shape in (
            ("forks", TreeShape()),
            ("forks_evidence", FOUND),
            ("forks_certain", TreeShape(certain=True)),
        )
        for forks in SHAPES
    ),
)
LEARNERS = (
    *(
        Setting("learning", "plain", (name,))
        for name in ALL
        if name not in ("spo_softmax", "gae_fitted")
    ),
    *(
        Setting("learning", "forks 4-1-2-2", (name,), forks=(4, 1, 2, 2))
        for name in ("rloo_turns", "kriging_forks", "known_values")
    ),
    *(
        Setting("learning", f"{count} answers", (name,), answers=count)
        for count in (4, EXPECTED)
        for name in ("rloo", "spo_near", "spo_prefix_graded", "kriging", "known_values")
    ),
)


def run(data: Path, options: Options) -> Measured:
    """All experiments on `options.limit` seeds (SEEDS without); `data` is not looked at."""
    seeds = range(options.seed, options.seed + (options.limit or SEEDS))
    rows = [
        Row(f"{setting.experiment} {setting.name} {seed}", measure(setting, seed), group=str(seed))
        for setting in options.track(SETTINGS)
        for seed in seeds
    ]
    rows += [
        Row(f"learning {seed}", scores, group=str(seed))
        for seed, scores in zip(seeds, learn(seeds), strict=True)
    ]
    return Measured(rows)


# ── Bias and variance ───────────────────────────────────────────────────────────────────────────


def measure(setting: Setting, seed: int) -> dict[str, float]:
    """Scale, bias and variance of every contestant on one forest."""
    rng = np.random.default_rng(seed)
    forest = draw_forest(rng, setting.shape, QUESTIONS)
    plainly = roll(rng, forest, plain(GROUP, setting.shape.turns), BATCHES)
    episodes = plainly
    if (setting.rolled, setting.answers) != (plain(GROUP, setting.shape.turns), 1):
        episodes = roll(rng, forest, setting.rolled, BATCHES, answers=setting.answers)
    unit = _quality(forest, plainly, REFERENCE)["variance"] * plainly.cost
    start = f"{setting.experiment}/{setting.name}"
    last = episodes.same_prefix()[..., -1, :, :]
    apart = ~np.eye(last.shape[-1], dtype=bool)
    scores = {f"{start}/pairs in one state at the last turn": float(last[..., apart].mean())}
    for name in setting.contestants:
        found = _quality(forest, episodes, name)
        found["variance"] *= episodes.cost / unit
        keys = found if setting.experiment == "all" else ("variance",)
        scores |= {f"{start}/{name}/{key}": found[key] for key in keys}
    if setting.experiment.startswith("forks"):
        best = f"{start}/known_values"
        ratio = predicted_variance(forest, setting.rolled) * episodes.cost
        ratio /= predicted_variance(forest, plain(GROUP, setting.shape.turns)) * plainly.cost
        measured = _quality(forest, plainly, "known_values")["variance"] * plainly.cost / unit
        scores[f"{best}/predicted"] = ratio * measured
    return scores


def predicted_variance(forest: Forest, forks: Sequence[int]) -> float:
    """Up to a factor, the gradient's variance with the true values as baselines.

    Turn u adds c_u to the variance of a rollout's reward, the ending c_T. The gradient of turn t
    holds the noise of every turn from t on, averaged over the n_u turns sampled there:
    sum_u (u + 1) c_u / n_u + T c_T / n_T-1, if scores are about equally long at every turn.
    """
    values, sampled = forest.values(), np.cumprod(forks)
    reached = np.ones(forest.leaves[..., :1].shape)
    total = 0.0
    for turn, policy in enumerate(forest.policy):
        worth = forest.earned[turn] + values[turn + 1].reshape(policy.shape)
        visits = reached[..., None] * policy
        added = (visits * (worth - values[turn][..., None]) ** 2).sum((-2, -1)).mean()
        total += (turn + 1) * added / sampled[turn]
        reached = visits.reshape(*visits.shape[:-2], -1)
    ending = (reached * forest.leaves * (1 - forest.leaves)).sum(-1).mean()
    return float(total + len(forks) * ending / sampled[-1])


def _quality(forest: Forest, episodes: Episodes, name: str) -> dict[str, float]:
    truth = forest.gradient()
    found = gradient_estimate(forest, episodes, CONTESTANTS[name](forest, episodes))
    mean, length = found.mean(0), (truth**2).sum()
    scale = float((mean * truth).sum() / length)
    half = len(found) // 2
    across = [
        part - (part * truth).sum() / length * truth
        for part in (found[:half].mean(0), found[half:].mean(0))
    ]
    return {
        "scale": scale,
        "bias": float((across[0] * across[1]).sum() / length) / scale**2,
        "variance": float(found.var(0, ddof=1).sum() / length) / scale**2,
    }


# ── Learning ────────────────────────────────────────────────────────────────────────────────────


def learn(seeds: Sequence[int]) -> list[dict[str, float]]:
    """For every seed what each learner closes at its best rate.

    All seeds learn side by side, each from its own batches of QUESTIONS.
    """
    scores: list[dict[str, float]] = [{} for _ in seeds]
    points = [(number + 1) * STEPS // CHECKPOINTS for number in range(CHECKPOINTS)]
    for setting in LEARNERS:
        curves = [_curve(seeds, setting, rate) for rate in RATES]
        best = int(np.argmax([curve.mean() for curve in curves]))
        start = f"learning/{setting.name}/{setting.contestants[0]}"
        for curve, seed_scores in zip(curves[best].T, scores, strict=True):
            seed_scores[f"{start}/closed mean"] = float(curve.mean())
            seed_scores[f"{start}/rate"] = RATES[best]
            for point, closed in zip(points, curve, strict=True):
                seed_scores[f"{start}/closed {point}"] = float(closed)
    for seed_scores in scores:
        means = {key: score for key, score in seed_scores.items() if key.endswith("closed mean")}
        for key, score in means.items():
            gain = score - means[f"learning/plain/{REFERENCE}/closed mean"]
            seed_scores[key.replace("closed mean", "gain")] = gain
    return scores


def _curve(seeds: Sequence[int], setting: Setting, rate: float) -> Floats:
    """The share closed at every checkpoint by each seed: [CHECKPOINTS, seeds]."""
    forest = side_by_side(
        [draw_forest(np.random.default_rng(seed), setting.shape, QUESTIONS) for seed in seeds]
    )
    contestant = CONTESTANTS[setting.contestants[0]]
    rng = np.random.default_rng(seeds[0])
    start, best = _value(forest), forest.leaves.max(-1).mean(-1)
    curve = []
    for step in range(1, STEPS + 1):
        episodes = roll(rng, forest, setting.rolled, answers=setting.answers)
        advantages = contestant(forest, episodes)
        forest = forest.ascended(gradient_estimate(forest, episodes, advantages), rate)
        if step % (STEPS // CHECKPOINTS) == 0:
            curve.append((_value(forest) - start) / (best - start))
    return np.stack(curve)


def _value(forest: Forest) -> Floats:
    """The mean value of a batch's questions."""
    mean: Floats = forest.values()[0][..., 0].mean(-1)
    return mean
