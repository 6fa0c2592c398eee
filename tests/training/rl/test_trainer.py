"""The trainer: it learns, resumes to the same weights, and is the same in several processes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
import pytest

from docpipe import codec
from docpipe.errors import ConfigError
from docpipe.training.rl.log import Line
from docpipe.training.rl.rewards import PARTS
from docpipe.training.rl.settings import Settings, load_settings
from docpipe.training.rl.toy import toy_questions
from docpipe.training.train_agent import ModelCard, main, train

CONFIG = """
seed = 2

[data]
toy = 4

[policy]
name = "tests.training.rl.policies:TablePolicy"

[env]
turns = 3
reader = "fake"

[reward]
correctness = 0.0
format = 1.0

[loss]
kl = 0.001

[training]
steps = 6
questions = 2
group = 4
rate = 0.3
evaluate_every = 0
checkpoint_every = 2
"""


class Stopped(Exception):
    pass


def settings(**training: Any) -> Settings:
    made = msgspec.toml.decode(CONFIG, type=Settings)
    changed = msgspec.structs.replace(made.training, **training)
    return msgspec.structs.replace(made, training=changed)


def table(folder: Path) -> list[float]:
    return [value for row in json.loads((folder / "table.json").read_text()) for value in row]


def rows(folder: Path) -> list[dict[str, float]]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def test_the_reward_rises(tmp_path: Path) -> None:
    card = train(settings(steps=25, questions=4, checkpoint_every=0), tmp_path)
    logged = [row for row in rows(tmp_path) if "reward" in row]
    assert len(logged) == 25
    early = sum(row["reward"] for row in logged[:5]) / 5
    late = sum(row["reward"] for row in logged[-5:]) / 5
    assert late > early + 0.1
    assert logged[-1]["malformed"] < logged[0]["malformed"]
    assert card.evaluation["eval_reward"] >= card.before["eval_reward"]
    known = {"reward", "recall", "format", "same", "kl", "entropy", "turns", "choices", "gradient"}
    assert known <= set(logged[-1])


def test_rollouts_are_kept_as_trajectories(tmp_path: Path) -> None:
    train(settings(steps=1), tmp_path)
    lines = (tmp_path / "rollouts" / "000001.jsonl").read_bytes().splitlines()
    kept = [codec.decode(line, Line) for line in lines]
    assert len(kept) == 2 * 4
    assert kept[0].trajectory.rewards.keys() == set(PARTS)
    assert all(len(choice["logp"]) == 1 for line in kept for choice in line.choices)


def test_a_stopped_run_resumes_to_identical_weights(tmp_path: Path) -> None:
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    train(settings(), whole)

    def stop(step: int, *_: Any) -> None:
        if step == 5:  # after the checkpoint of step 4
            raise Stopped

    with pytest.raises(Stopped):
        train(settings(), stopped, show=stop)
    train(settings(), stopped, resume=True)
    assert table(stopped) == table(whole)

    def figures(folder: Path) -> list[dict[str, float]]:
        return [{k: v for k, v in row.items() if k != "seconds"} for row in rows(folder)]

    assert figures(stopped) == figures(whole)


def test_resuming_what_was_never_begun_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no checkpoint"):
        train(settings(), tmp_path, resume=True)


def test_micro_batches_and_minibatches(tmp_path: Path) -> None:
    for name, size in (("one", 1), ("all", 8)):
        train(settings(micro_batch=size, steps=2), tmp_path / name)
    assert table(tmp_path / "one") == pytest.approx(table(tmp_path / "all"), abs=1e-5)
    train(settings(minibatch=4, epochs=2, steps=2), tmp_path / "mini")
    assert rows(tmp_path / "mini")[-1]["clipped"] > 0


def test_imitation_comes_first_and_is_the_reference(tmp_path: Path) -> None:
    made = msgspec.toml.decode(
        CONFIG + '\n[imitation]\nsource = "one_pass"\nsteps = 20\nrate = 0.2\n', type=Settings
    )
    made = msgspec.structs.replace(made, training=settings(steps=1).training)
    train(made, tmp_path)
    logged = rows(tmp_path)
    assert logged[20]["imitation_loss"] < 0.3 * logged[1]["imitation_loss"]
    assert logged[21]["kl"] == pytest.approx(0.0, abs=1e-6)
    assert logged[21]["malformed"] < 0.2


def test_trajectories_in_a_file_are_imitated(tmp_path: Path) -> None:
    train(settings(steps=1), tmp_path / "first")
    lines = (tmp_path / "first" / "rollouts" / "000001.jsonl").read_bytes().splitlines()
    best = max(
        (codec.decode(line, Line).trajectory for line in lines), key=lambda t: t.rewards["recall"]
    )
    path = tmp_path / "best.jsonl"
    path.write_bytes(codec.encode(best) + b"\n")
    text = f'\n[imitation]\nsource = "{path}"\nsteps = 2\nleast = 0.0\n'
    made = msgspec.toml.decode(CONFIG + text, type=Settings)
    train(msgspec.structs.replace(made, training=settings(steps=0).training), tmp_path / "second")
    logged = rows(tmp_path / "second")
    assert logged[2]["imitation_loss"] < logged[1]["imitation_loss"]


def test_nothing_to_imitate_is_told(tmp_path: Path) -> None:
    text = '\n[imitation]\nsource = "one_pass"\nleast = 9.0\n'
    with pytest.raises(ConfigError, match="nothing to imitate"):
        train(msgspec.toml.decode(CONFIG + text, type=Settings), tmp_path)


def test_workers_change_nothing(tmp_path: Path) -> None:
    train(settings(steps=2), tmp_path / "here")
    train(settings(steps=2, workers=1), tmp_path / "workers")
    assert table(tmp_path / "workers") == table(tmp_path / "here")


def test_tensorboard_is_written(tmp_path: Path) -> None:
    train(settings(steps=1, tensorboard=True), tmp_path)
    assert list((tmp_path / "tensorboard").glob("events*"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "required field `data`"),
        ("[data]\nlibrary = 'x'", "library and questions"),
        ("[data]\ntoy = 2\n[training]\ngroup = 0", "not empty"),
        ("[data]\ntoy = 2\n[loss]\nper = 'step'", "Invalid enum value 'step'"),
    ],
)
def test_wrong_settings_are_told(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=said):
        load_settings(path)


def test_the_configurations_that_come_along_are_read() -> None:
    folder = Path(str(files("docpipe.training") / "configs"))
    names = {path.name for path in folder.glob("agent-*.toml") if load_settings(path)}
    assert {"agent-toy.toml", "agent-small.toml", "agent-paper.toml"} <= names


def test_the_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "agent.toml"
    config.write_text(CONFIG.replace("steps = 6", "steps = 1"))
    assert main([str(config), str(tmp_path / "out")]) == 0
    captured = capsys.readouterr()
    assert "eval_reward" in json.loads(captured.out)
    assert "step 1" in captured.err
    card = codec.decode((tmp_path / "out" / "model_card.json").read_bytes(), ModelCard)
    assert card.questions == 4
    assert card.command.startswith("python -m docpipe.training.train_agent")


def test_toy_questions_are_answered_by_their_pages() -> None:
    library, questions = toy_questions(8)
    for question in questions:
        ((document, page),) = question.pages
        found = library.search_pages(question.question, 1, question.documents)
        assert (found[0].document, found[0].page) == (document, page)
        assert question.answer in found[0].best.chunk.text  # type: ignore[union-attr]


def command(config: Path, out: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "docpipe.training.train_agent", str(config), str(out), *options]


@pytest.mark.slow
def test_a_killed_run_resumes_to_identical_weights(tmp_path: Path) -> None:
    config = tmp_path / "agent.toml"
    config.write_text(CONFIG.replace("steps = 6", "steps = 40"))
    train(load_settings(config), tmp_path / "whole")
    out = tmp_path / "killed"
    process = subprocess.Popen(command(config, out), stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("step 7 "):
            process.send_signal(signal.SIGKILL)
            break
    process.wait()
    process.stderr.close()
    assert not (out / "table.json").exists()
    subprocess.run(command(config, out, "--resume"), check=True, capture_output=True)
    assert table(out) == table(tmp_path / "whole")


@pytest.mark.slow
def test_two_processes_train_what_one_does(tmp_path: Path) -> None:
    config = tmp_path / "agent.toml"
    config.write_text(CONFIG)
    train(load_settings(config), tmp_path / "one")
    python, *arguments = command(config, tmp_path / "two")
    launch = [python, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    done = subprocess.run([*launch, *arguments], check=True, capture_output=True, text=True)
    assert "eval_reward" in json.loads(done.stdout)  # one of them tells
    assert table(tmp_path / "two") == pytest.approx(table(tmp_path / "one"), abs=1e-4)
    assert len(rows(tmp_path / "two")) == len(rows(tmp_path / "one"))
