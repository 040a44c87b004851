"""A call of a tool over several lines is one action; nothing else is joined."""

from __future__ import annotations

import time

import pytest

from bench.replies import read_action

CALL = 'rate(product_id="P_1", text="Keep (very) cool")'


@pytest.mark.parametrize(
    "reply",
    [
        'Action: rate(\n    product_id="P_1",\n    text="Keep (very) cool"\n)',
        'Now:\n\n```\nAction: rate(\n  product_id="P_1",\n  text="Keep (very) cool"\n)\n```',
        'Now:\n\n```python\nrate(\n  product_id="P_1",\n  text="Keep (very) cool"\n)\n```',
        'Action: rate(product_id="P_1",\n   text="Keep (very) cool")',
        'Action:\nrate(\nproduct_id="P_1",\n\ntext="Keep (very) cool"\n)',
    ],
)
def test_read_action_joins_the_lines_of_a_call(reply: str) -> None:
    found = read_action(reply)
    assert (found.value, found.sure) == (CALL, True)
    assert "several-lines" in found.repairs


def test_read_action_joins_an_object_behind_a_name() -> None:
    assert read_action('Action: rate {\n"product_id": "P_1"\n}').value == 'rate {"product_id": "P_1"}'


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('Action: rate(\nproduct_id="P_1"\nObservation: 3', "rate("),
        ("Action: go to desk 1\n(it is near)", "go to desk 1"),
        ("Action: rate(\n" + "x,\n" * 20 + ")", "rate("),
    ],
)
def test_read_action_leaves_what_is_no_call_of_several_lines(reply: str, value: str) -> None:
    found = read_action(reply)
    assert (found.value, "several-lines" in found.repairs) == (value, False)


@pytest.mark.parametrize("line", ["ab(" * 50_000, "ab(" * 50_000 + ",", "ab(,\n" * 20_000])
def test_read_action_needs_linear_time(line: str) -> None:
    start = time.process_time()
    read_action(f"Action: {line}")
    assert time.process_time() - start < 5
