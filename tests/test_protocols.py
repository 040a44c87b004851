"""The interfaces: the documented example works; parameters are read by name and type, and wrong ones refused."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import agents, protocols, replies, types
from bench.conformance.rules import check_strategy
from bench.errors import UsageError
from bench.protocols import ACTOR, Budget, Param, Params, Strategy, count_words

DECLARED = (
    Param("k", 5, "how many", minimum=1),
    Param("rate", 0.5, "how much", minimum=0),
    Param("keep", "tail", "which end", choices=("head", "tail")),
    Param("retrieve", True, "look things up"),
    Param("note", "", "free text"),
)


def test_params_use_defaults() -> None:
    params = Params(DECLARED)
    assert (params.integer("k"), params.number("rate"), params.text("keep")) == (5, 0.5, "tail")
    assert params.flag("retrieve")
    assert params.label == ""
    assert params.resolved == (("k", "5"), ("rate", "0.5"), ("keep", "tail"), ("retrieve", "on"), ("note", ""))


def test_params_label_has_given_values_in_declared_order() -> None:
    params = Params(DECLARED, {"retrieve": "off", "k": "07"})
    assert params.label == "k=7,retrieve=off"
    assert not params.flag("retrieve")


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"kk": "1"}, "x: expected a parameter, got 'kk'; did you mean k"),
        ({"k": "many"}, "x: expected k=<int>, got 'many'; how many"),
        ({"k": "1.5"}, "x: expected k=<int>, got '1.5'"),
        ({"k": "0"}, "x: expected k >= 1, got 0"),
        ({"rate": "-1"}, "x: expected rate >= 0, got -1"),
        ({"rate": "x"}, "x: expected rate=<float>, got 'x'"),
        ({"keep": "tial"}, r"x: expected keep=head\|tail, got 'tial'; did you mean tail"),
        ({"retrieve": "true"}, "x: expected retrieve=on or off, got 'true'; look things up"),
    ],
)
def test_params_reject_wrong_value_in_one_line(given_: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        Params(DECLARED, given_, who="x")
    assert "\n" not in str(caught.value)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "k": st.integers(1, 10**6).map(str),
            "rate": st.floats(0, 1e6).map(str),
            "keep": st.sampled_from(["head", "tail"]),
            "retrieve": st.sampled_from(["on", "off"]),
        },
    )
)
def test_params_resolved_values_can_be_given_again(words: dict[str, str]) -> None:
    params = Params(DECLARED, words)
    assert Params(DECLARED, dict(params.resolved)).resolved == params.resolved
    pieces = dict(piece.split("=") for piece in params.label.split(",") if piece)
    assert Params(DECLARED, pieces).label == params.label
    assert set(pieces) == set(words)


def test_params_raise_key_error_for_undeclared_name() -> None:
    with pytest.raises(KeyError):
        Params(DECLARED).integer("nothing")


MODELS = (
    Param("navigator_model", ACTOR, "searches", roles=("navigate",)),
    Param("writer_model", ACTOR, "writes", roles=("extract", "acme/merge")),
)


def test_role_models_are_those_named_by_role() -> None:
    assert Params((*DECLARED, *MODELS)).role_models == {}
    assert Params(MODELS, {"navigator_model": ACTOR, "writer_model": "ollama/llama3:8b"}).role_models == {
        "extract": "ollama/llama3:8b",
        "acme/merge": "ollama/llama3:8b",
    }
    named = Params(MODELS, {"navigator_model": "a/b"})
    assert (named.role_models, named.label) == ({"navigate": "a/b"}, "navigator_model=a/b")


def test_model_with_an_address_is_refused_without_showing_it() -> None:
    with pytest.raises(UsageError) as caught:
        Params(MODELS, {"writer_model": "openai/x@http://me:sk-0123456789@host/v1"}, who="strategy mem0")
    assert str(caught.value).startswith(
        "strategy mem0: expected writer_model=MODEL, got an address as well; write it as "
    )
    assert "sk-" not in str(caught.value)


def test_budget_counts_words_by_default() -> None:
    assert Budget().count("one  two\nthree") == count_words("one two three") == 3
    assert Budget().tokens is None


def test_documented_example_obeys_every_rule() -> None:
    _, _, rest = (protocols.__doc__ or "").partition("::\n\n")
    code = textwrap.dedent(rest.partition("\n``Event``")[0])
    assert "class LastEvent" in code
    names = {**vars(types), **vars(agents), **vars(replies), **vars(protocols)}
    exec(code, names)
    strategy = names["STRATEGY"]
    assert isinstance(strategy, Strategy)
    assert [result for result in check_strategy(strategy) if not result.passed] == []
