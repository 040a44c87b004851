"""An episode: what the tools return, what is refused, and what counts."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from adapters.sop_bench.environment import SopEnvironment
from adapters.sop_bench.frames import load_frame, read_own_tools
from adapters.sop_bench.products import Product
from bench.errors import EnvError

TOOLS = read_own_tools()
FRAME = load_frame("test", TOOLS, 10)
PRODUCT = Product("P_12345", ("Toxic", "Locked", "Escort", "Special"), (4, None, 0, 3), "Hazard Class C")
OTHER = Product("P_54321", ("Toxic", "Locked", "Escort", "Special"), (1, 1, 1, 1), "Hazard Class A")
CALLS = {
    "calculate_sds_label_score": ("sds_label_text", "Toxic"),
    "calculate_handling_score": ("handling_and_storage_guidelines", "Locked"),
    "calculate_transportation_score": ("transportation_requirements", "Escort"),
    "calculate_disposal_score": ("disposal_guidelines", "Special"),
}


def play(product: Product = PRODUCT) -> SopEnvironment:
    env = SopEnvironment(product, {PRODUCT.id: PRODUCT, OTHER.id: OTHER, product.id: product}, TOOLS, FRAME)
    env.reset()
    return env


def call(tool: str, product_id: str = PRODUCT.id) -> str:
    name, text = CALLS[tool]
    return f'{tool}(product_id="{product_id}", {name}="{text}")'


def test_opening_shows_id_and_texts_but_no_score_and_no_class() -> None:
    opening = SopEnvironment(PRODUCT, {}, TOOLS, FRAME).reset()
    assert "product_id: P_12345" in opening.goal
    assert "transportation_requirements: Escort" in opening.goal
    assert "score" not in opening.goal
    assert "Hazard Class" not in opening.goal


def test_tools_return_the_stored_scores_and_progress_counts_each_once() -> None:
    env, seen = play(), []
    for tool in (*CALLS, "calculate_sds_label_score"):
        seen.append(env.step(call(tool)))
    assert json.loads(seen[0].text) == {"product_id": "P_12345", "sds_label_score": 4}
    assert json.loads(seen[2].text) == {"product_id": "P_12345", "transportation_score": 0}
    assert seen[1].text == "calculate_handling_score failed for P_12345: it returned no score."
    assert [one.progress for one in seen] == pytest.approx([0.2, 0.4, 0.6, 0.8, 0.8])
    assert all(one.valid and not one.done for one in seen)


def test_another_products_score_is_told_and_is_no_progress() -> None:
    seen = play().step(call("calculate_sds_label_score", OTHER.id))
    assert (json.loads(seen.text)["sds_label_score"], seen.progress, seen.valid) == (1, 0.0, True)


@pytest.mark.parametrize(
    ("action", "reason", "text"),
    [
        ("calculate_price(product_id=P_12345)", "unparsable", "There is no such command."),
        ("???", "unparsable", "There is no such command."),
        ("calculate_sds_label_score", "precondition", "needs product_id and sds_label_text."),
        (
            'calculate_sds_label_score(product_id="P_12345", sds_label_text=" ")',
            "precondition",
            "needs sds_label_text.",
        ),
        ("calculate_sds_label_score(P_99999, Toxic)", "precondition", "knows no product with the id P_99999."),
        ("answer(hazard_score=15)", "unparsable", "answer needs a hazard_class, one of: Hazard Class A,"),
        ('answer(hazard_class="Hazard Class A or B")', "unparsable", "answer needs a hazard_class"),
    ],
)
def test_what_cannot_be_done_changes_nothing_and_says_why(action: str, reason: str, text: str) -> None:
    env = play()
    seen = env.step(action)
    assert (seen.valid, seen.invalid_reason, seen.done, seen.progress) == (False, reason, False, 0.0)
    assert text in seen.text
    assert env.step('answer(hazard_class="Hazard Class C")').won


@pytest.mark.parametrize(
    "action",
    [
        'answer(hazard_score=15, hazard_class="Hazard Class C")',
        "answer(hazard_score=1, hazard_class=hazard class c)",  # the class alone is the official output column
        "answer <hazard_score>15</hazard_score><hazard_class>Hazard Class C</hazard_class>",
        'answer {"hazard_score": 15, "hazard_class": "Hazard Class C"}',
        "answer(15, Hazard Class C)",
    ],
)
def test_right_class_wins_however_it_is_written(action: str) -> None:
    seen = play().step(action)
    assert (seen.won, seen.done, seen.progress, seen.valid) == (True, True, 1.0, True)


def test_wrong_class_ends_the_episode_and_a_letter_alone_is_a_repair() -> None:
    env = play()
    seen = env.step("answer(hazard_class=D)")
    assert (seen.won, seen.done, seen.progress, seen.repairs) == (False, True, 0.0, ("class-letter",))
    with pytest.raises(EnvError, match="after its end"):
        env.step(call("calculate_sds_label_score"))


def test_invalid_id_has_no_progress_before_the_answer() -> None:
    product = replace(PRODUCT, id="P1_2345", hazard_class="Unable to Decide")
    env = play(product)
    assert env.step(call("calculate_sds_label_score", product.id)).progress == 0.0
    assert env.step("answer(hazard_class=Unable to Decide)").progress == 1.0


def test_step_before_reset_is_an_environment_error() -> None:
    with pytest.raises(EnvError, match="before reset"):
        SopEnvironment(PRODUCT, {}, TOOLS, FRAME).step("answer")
