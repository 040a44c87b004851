"""Where labels find room, and how names are cut into lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from bench.report.figures.labels import fold_name
from bench.report.figures.places import Board, Dot, Place, Text, list_leader_places, list_ring_places, write

RIGHT, LEFT = Place(9, 5, "left"), Place(-9, 5, "right")
NAME = Text("a-name", 9, bold=False, color="black")


def panel() -> Axes:
    figure = Figure(figsize=(4, 3), dpi=100)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    return axes


@given(st.text(st.sampled_from("abcW0:,=+- "), min_size=1, max_size=90), st.integers(3, 40))
def test_fold_name_keeps_all_letters_within_width(name: str, widest: int) -> None:
    lines = fold_name(name, widest)
    assert "".join(lines) == name
    assert all(0 < len(line) <= widest for line in lines)


def test_folding_breaks_after_a_separator_where_it_can() -> None:
    assert fold_name("truncation:keep=head,tokens=2000", 40) == ["truncation:keep=head,tokens=2000"]
    assert fold_name("truncation:keep=head,tokens=2000", 21) == ["truncation:keep=head,", "tokens=2000"]
    assert fold_name("abcdefgh", 3) == ["abc", "def", "gh"]


def test_a_label_takes_the_first_place_that_is_free() -> None:
    dot = Dot("a", 0.5, 0.5)
    found = Board(panel(), [dot]).find_best(dot, NAME, (RIGHT, LEFT))
    assert (found.place, found.lost) == (RIGHT, 0)


def test_a_label_keeps_clear_of_markers_and_of_the_edge() -> None:
    dot, neighbour = Dot("a", 0.5, 0.5), Dot("b", 0.58, 0.53)
    found = Board(panel(), [dot, neighbour]).find_best(dot, NAME, (RIGHT, LEFT))
    assert (found.place, found.lost) == (LEFT, 0)
    edge = Dot("a", 0.98, 0.5)
    assert Board(panel(), [edge]).find_best(edge, NAME, (RIGHT, LEFT)).place == LEFT
    assert Board(panel(), [edge]).find_best(edge, NAME, (RIGHT,)).lost > 100


def test_taken_place_is_not_used_again() -> None:
    dots = (Dot("a", 0.5, 0.5), Dot("b", 0.5, 0.5))
    board = Board(panel(), dots)
    board.take(board.find_best(dots[0], NAME, (RIGHT, LEFT)))
    second = board.find_best(dots[1], NAME, (RIGHT, LEFT))
    assert second.place == LEFT
    board.take(second)
    assert board.find_best(dots[1], NAME, (RIGHT, LEFT)).lost > 100


def test_a_leader_line_through_a_marker_costs() -> None:
    dot, between = Dot("a", 0.2, 0.5), Dot("b", 0.4, 0.7)
    through, round_it = Place(120, 90, "left", needs_leader=True), Place(120, -90, "left", needs_leader=True)
    found = Board(panel(), [dot, between]).find_best(dot, NAME, (through, round_it))
    assert (found.place, found.lost) == (round_it, 0)


def test_thin_lines_are_covered_rather_than_markers() -> None:
    axes, dot, neighbour = panel(), Dot("a", 0.5, 0.5), Dot("b", 0.42, 0.53)
    axes.plot([0.6, 0.6], [0, 1])
    assert Board(axes, [dot]).find_best(dot, NAME, (RIGHT, LEFT)).place == LEFT
    assert Board(axes, [dot, neighbour]).find_best(dot, NAME, (RIGHT, LEFT)).place == RIGHT


def test_places_have_the_distance_asked_for() -> None:
    ring = list_ring_places(20, 16, needs_leader=True)
    assert len(ring) == 16
    assert all(abs(place.far - 20) < 1e-9 and place.needs_leader for place in ring)
    rays = list_leader_places((22,), (14, 30))
    assert {(place.dx, place.dy) for place in rays} == {(x, y) for x in (14, -14, 30, -30) for y in (22, -22)}


def test_leader_line_is_drawn_only_where_needed() -> None:
    axes, dot = panel(), Dot("a", 0.5, 0.5)
    board = Board(axes, [dot])
    near = write(axes, board.find_best(dot, NAME, (RIGHT,)))
    far = write(axes, board.find_best(dot, NAME, (Place(30, 30, "left", needs_leader=True),)))
    assert near.arrow_patch is None
    assert far.arrow_patch is not None
