"""L1: sorted, bounded, complete while it can be, and honest about what it leaves out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from baselines.generic_agent.dialogue.pointers import ARCHIVE_LINE, RULES_LINE, build_index, read_sections
from baselines.generic_agent.trial.layers import INDEX_LINES, INDEX_TOKENS
from bench.models.tokenizers import count_tokens


def test_build_index_lists_keywords_by_section() -> None:
    topics = {"bob/work": 1, "ann/pets": 2, "ann/home": 9}
    lines = build_index(topics, [RULES_LINE, ARCHIVE_LINE], count_tokens)
    assert lines == ("home, pets -> l2/ann", "work -> l2/bob", RULES_LINE, ARCHIVE_LINE)
    assert read_sections(lines) == {"ann": ("home", "pets"), "bob": ("work",)}


def test_build_index_without_facts_has_the_fixed_lines() -> None:
    assert build_index({}, [], count_tokens) == ()
    assert build_index({}, [ARCHIVE_LINE], count_tokens) == (ARCHIVE_LINE,)


def test_build_index_uses_short_lines_while_there_is_room() -> None:
    lines = build_index({f"ann/k{n:02}": 1 for n in range(20)}, [], count_tokens)
    assert [line.count(",") + 1 for line in lines] == [8, 8, 4]


def test_build_index_counts_keywords_with_the_fewest_facts() -> None:
    topics = {f"ann/keyword{n:04}": 1 + (n % 7 == 0) for n in range(2000)}
    lines = build_index(topics, [ARCHIVE_LINE], count_tokens)
    shown = read_sections(lines)["ann"]
    assert 100 < len(shown) < 2000
    assert {topics[f"ann/{word}"] for word in shown} == {2}
    assert build_index({"ann/and co": 1}, [], count_tokens) == ("and co -> l2/ann",)
    assert read_sections(("and co, and 2 more -> l2/ann",)) == {"ann": ("and co",)}
    assert any(f"and {2000 - len(shown)} more" in line for line in lines)


def test_build_index_counts_sections_that_do_not_fit() -> None:
    topics = {f"person{n:03}/home": 1 for n in range(100)}
    lines = build_index(topics, [ARCHIVE_LINE], count_tokens)
    assert len(lines) == INDEX_LINES
    assert lines[-2:] == ("and 72 more sections -> l2/*", ARCHIVE_LINE)


NAMES = st.text(st.characters(categories=("Ll",)), min_size=1, max_size=12)


@given(st.dictionaries(st.tuples(NAMES, NAMES).map("/".join), st.integers(1, 9), max_size=80))
def test_build_index_keeps_its_bounds_and_names_known_topics(topics: dict[str, int]) -> None:
    lines = build_index(topics, [RULES_LINE], count_tokens)
    assert len(lines) <= INDEX_LINES
    assert count_tokens("\n".join(lines)) <= INDEX_TOKENS
    assert lines == build_index(dict(reversed(topics.items())), [RULES_LINE], count_tokens)
    pointed = {
        f"{section}/{word}" for section, words in read_sections(lines).items() for word in words if section != "*"
    }
    assert pointed <= set(topics)
    if len({topic.partition("/")[0] for topic in topics}) < INDEX_LINES:
        assert {topic.partition("/")[0] for topic in topics} <= set(read_sections(lines)) | {"*"}
