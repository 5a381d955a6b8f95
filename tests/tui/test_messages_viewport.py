"""The visible rows, compared with a plain list of all rows."""

from hypothesis import given
from hypothesis import strategies as st

from narrowcast.panes.messages.viewport import Place, Viewport


def viewport(heights: list[int], height: int) -> Viewport:
    made = Viewport(lambda index: heights[index])
    made.height = height
    made.count = len(heights)
    return made


def everything(heights: list[int]) -> list[Place]:
    return [Place(index, row) for index, size in enumerate(heights) for row in range(size)]


HEIGHTS = st.lists(st.integers(1, 9), max_size=30)


@given(HEIGHTS, st.integers(1, 12), st.lists(st.integers(-40, 40), max_size=12))
def test_scrolling_shows_what_a_list_of_all_rows_would(
    heights: list[int], height: int, moves: list[int]
) -> None:
    made = viewport(heights, height)
    rows = everything(heights)
    top = 0
    for move in moves:
        made.scroll(move)
        top = max(0, min(top + move, len(rows) - height))
        expected: list[Place | None] = list(rows[top : top + height])
        assert made.rows() == [None] * (height - len(expected)) + expected
        assert made.at_bottom() == (top + height >= len(rows))


@given(HEIGHTS.filter(bool), st.integers(1, 12), st.data())
def test_an_item_that_is_shown_has_its_first_row_and_as_much_as_fits_in_view(
    heights: list[int], height: int, data: st.DataObject
) -> None:
    made = viewport(heights, height)
    made.scroll(data.draw(st.integers(0, 200)))
    index = data.draw(st.integers(0, len(heights) - 1))
    before = made.rows()
    made.show(index)
    after = made.rows()
    mine = [place for place in after if place is not None and place.index == index]
    assert len(mine) >= min(heights[index], height)
    if all(Place(index, row) in before for row in range(heights[index])):
        assert after == before


@given(HEIGHTS.filter(bool), st.integers(1, 12), st.integers(0, 12), st.data())
def test_a_centred_item_lies_below_the_rows_asked_for_where_there_are_as_many(
    heights: list[int], height: int, above: int, data: st.DataObject
) -> None:
    made = viewport(heights, height)
    index = data.draw(st.integers(0, len(heights) - 1))
    made.center(index, min(above, height - 1))
    assert Place(index, 0) in made.rows()


def test_a_viewport_stays_in_bounds_when_items_go_away() -> None:
    heights = [2] * 50
    made = viewport(heights, 10)
    made.to_bottom()
    made.count = 3
    assert [place for place in made.rows() if place] == everything(heights[:3])
    made.count = 0
    assert made.rows() == [None] * 10


def test_only_heights_near_the_viewport_are_asked_for() -> None:
    asked: set[int] = set()

    def height_of(index: int) -> int:
        asked.add(index)
        return 3

    made = Viewport(height_of)
    made.height, made.count = 30, 100_000
    made.to_bottom()
    made.rows()
    made.scroll(-30)
    made.rows()
    made.center(50_000, 10)
    made.rows()
    assert len(asked) < 60
