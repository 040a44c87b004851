"""The novice as a model: its name with its parameters, what is recorded of it, and whose rules it has."""

from __future__ import annotations

import pytest

from adapters.shared.lessons import VERSION
from bench.errors import UsageError
from bench.models.offline.novice import NAME
from bench.models.offline.reader import OfflineReader
from bench.models.options import is_offline
from bench.protocols import OfflineDialect
from bench.registry import load_source, model_names, offline_rules
from bench.types import Message


@pytest.mark.parametrize(
    ("text", "name"),
    [(NAME, NAME), (f"{NAME}:depth=1", f"{NAME}:depth=1"), (f"{NAME}: depth = 3", f"{NAME}:depth=3")],
)
def test_source_is_named_with_the_parameters_that_were_given(text: str, name: str) -> None:
    source = load_source(text)
    assert (source.name, source.model(0).name) == (name, name)
    assert is_offline(source.name)
    assert not source.remote


def test_identity_holds_version_and_digest_of_the_lesson_reader() -> None:
    identity = load_source(NAME).identity
    assert identity.startswith(f"{NAME}, lessons {VERSION} ")
    assert len(identity.split()[-1]) == 12
    assert load_source("offline/reader").identity == "offline/reader"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{NAME}:deth=1", "expected a parameter, got 'deth'; did you mean depth"),
        (f"{NAME}:depth=0", "expected depth >= 1, got 0"),
        ("offline/novise", "expected a model, got 'offline/novise'; did you mean offline/novice"),
    ],
)
def test_wrong_name_is_rejected(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load_source(text)


def test_model_is_listed() -> None:
    assert NAME in model_names()


def test_novice_understands_the_prompts_of_the_reader() -> None:
    rules = [rule for rule in offline_rules() if not isinstance(rule, OfflineDialect)]
    novice = OfflineReader(offline_rules()), load_source(NAME).model(0)
    assert isinstance(novice[1], OfflineReader)
    for rule in rules:
        prompt = (Message("system", rule.header),)
        assert novice[1].find_role(prompt) == novice[0].find_role(prompt)
