from __future__ import annotations

import importlib.util

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.alfworld.engine.symbols import Expression, Listing, Node, Substitution, Symbol, Text, parse

PIECES = st.sampled_from(
    [
        *(
            "#a#",
            "[{o.name | p(o:object)}]",
            "{o.name}",
            "[",
            "]",
            "{",
            "}",
            "#",
            "|",
            " ",
            "\n",
            "\t",
            "abc",
            '"',
            ";",
        ),
        *('"q"', "//c\n", "<", "{#a(b)# | q(a:b)}", ". ", " x", "", "é"),
    ]
)


def test_parse_finds_every_kind_of_symbol() -> None:
    assert parse("You see [{#thing(t)# | lies(t:tool)}]. #more#{a.name}") == (
        Text("You see "),
        Listing(Substitution(Symbol("thing(t)"), "lies(t:tool)")),
        Text(". "),
        Symbol("more"),
        Substitution(Expression("a.name"), ""),
    )


def test_parse_drops_leading_blanks_and_unfitting_text() -> None:
    assert parse("\n  a\n  #b# c; d") == (Text("a\n  "), Symbol("b"), Text(" c"))
    assert parse("") == (Text(""),)
    assert parse("]x") == (Text(""),)


def _converted(symbol: object) -> Node | Expression:
    kind = type(symbol).__name__
    if kind == "ListSymbol":
        item = _converted(symbol.symbol)  # type: ignore[attr-defined]
        assert isinstance(item, Substitution)
        return Listing(item)
    if kind == "ConditionalSymbol":
        body = _converted(symbol.expression)  # type: ignore[attr-defined]
        assert isinstance(body, Symbol | Expression)
        return Substitution(body, symbol.given or "")  # type: ignore[attr-defined]
    text = str(symbol.symbol)  # type: ignore[attr-defined]
    if kind == "EvalSymbol":
        return Expression(text)
    return Symbol(text) if kind == "NonterminalSymbol" else Text(text)


@pytest.mark.engine
@pytest.mark.filterwarnings("default")  # the official parser's own deprecations are not ours
@given(st.lists(PIECES, max_size=7).map("".join))
@settings(max_examples=200)
def test_parse_equals_official_parser(text: str) -> None:
    if importlib.util.find_spec("textworld") is None:
        pytest.skip("needs the official engine: pip install 'memfrontier[alfworld]'")
    from textworld.envs.pddl import textgen  # noqa: PLC0415 - a heavy extra

    official = textgen._parse_and_convert(text, rule_name="symbols")
    assert parse(text) == tuple(_converted(symbol) for symbol in official)
