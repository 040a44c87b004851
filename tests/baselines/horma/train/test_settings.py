"""Settings of a training: what is refused, and what changes its numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from baselines.horma.train.advantages import LossKind
from baselines.horma.train.environment import Penalties
from baselines.horma.train.settings import TrainSettings, read_table
from bench.errors import UsageError


def test_table_of_settings_is_read_by_type() -> None:
    found = read_table(TrainSettings, {"updates": 5, "loss": "grpo", "learning_rate": 1, "scale": False})
    assert found == TrainSettings(updates=5, loss=LossKind.GRPO, learning_rate=1.0, scale=False)
    assert isinstance(found.learning_rate, float)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"update": 5}, "expected a setting, got 'update'; did you mean updates"),
        ({"updates": "5"}, "expected updates as int, got '5'"),
        ({"updates": True}, "expected updates as int, got True"),
        ({"scale": 1}, "expected scale as bool, got 1"),
        ({"loss": "ppo"}, "expected a loss, got 'ppo'"),
        ({"searches": 1}, "expected searches of at least 2, got 1"),
        ({"temperature": 0.0}, "expected a temperature and a learning rate above 0"),
        ([1], r"expected a table of settings, got \[1\]"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(given: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_table(TrainSettings, given)


def test_digest_changes_with_what_changes_numbers_and_with_nothing_else() -> None:
    plain = TrainSettings()
    assert replace(plain, updates=1, checkpoint_every=3).digest == plain.digest
    assert len({replace(plain, seed=n, searches=n + 2).digest for n in range(3)}) == 3
    assert plain.penalties == Penalties()
    assert replace(plain, invalid_penalty=0.1).penalties == Penalties(invalid=0.1)
