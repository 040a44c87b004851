"""However a call is written, it is the same command."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.sop_bench.commands import read_class, read_command

ARGUMENTS = {"product_id": "P_12345", "sds_label_text": "Toxic, keep dry"}


@pytest.mark.parametrize(
    "text",
    [
        'rate(product_id="P_12345", sds_label_text="Toxic, keep dry")',
        "rate(product_id='P_12345', sds_label_text='Toxic, keep dry')",
        'Rate (product_id="P_12345",sds_label_text="Toxic, keep dry");',
        'call rate(product_id: "P_12345", sds_label_text: "Toxic, keep dry")',
        'rate product_id="P_12345" sds_label_text="Toxic, keep dry"',
        'rate {"product_id": "P_12345", "sds_label_text": "Toxic, keep dry"}',
        'rate({"product_id": "P_12345", "sds_label_text": "Toxic, keep dry"})',
        '{"tool": "rate", "product_id": "P_12345", "sds_label_text": "Toxic, keep dry"}',
        '{"name": "rate", "arguments": {"product_id": "P_12345", "sds_label_text": "Toxic, keep dry"}}',
        "rate <product_id>P_12345</product_id><sds_label_text> Toxic, keep dry </sds_label_text>",
    ],
)
def test_read_command_reads_every_way_to_write_a_call(text: str) -> None:
    command = read_command(text)
    assert command is not None
    assert (command.name, dict(command.arguments), command.values) == ("rate", ARGUMENTS, ())


def test_read_command_without_quotes_ends_a_value_at_the_next_name() -> None:
    command = read_command("rate product_id=P_12345 sds_label_text=Highly toxic material")
    assert command is not None
    assert command.arguments == {"product_id": "P_12345", "sds_label_text": "Highly toxic material"}


def test_read_command_keeps_values_without_names_in_order() -> None:
    command = read_command('rate(P_12345, "Toxic, keep dry")')
    assert command is not None
    assert command.values == ("P_12345", "Toxic, keep dry")


@pytest.mark.parametrize("text", ["", "   ", "(x)", "1 + 1", '{"tool": 3}', "[" * 5000, "{" * 5000])
def test_read_command_finds_no_name_where_there_is_none(text: str) -> None:
    assert read_command(text) is None


@given(st.text(max_size=200))
def test_read_command_takes_any_text(text: str) -> None:
    command = read_command(text)
    assert command is None or command.name == command.name.lower()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hazard Class C", ("Hazard Class C", False)),
        (" hazard  class c. ", ("Hazard Class C", False)),
        ('"unable to decide"', ("Unable to Decide", False)),
        ("Class D", ("Hazard Class D", True)),
        ("b", ("Hazard Class B", True)),
        ("Hazard Class A, B, C, D", ("", False)),  # the official comparison would take it as right, whatever is right
        ("Hazard Class", ("", False)),
        ("E", ("", False)),
        ("none", ("", False)),
    ],
)
def test_read_class_takes_five_labels_and_nothing_else(text: str, expected: tuple[str, bool]) -> None:
    assert read_class(text) == expected
