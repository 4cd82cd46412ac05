from __future__ import annotations

import pytest

from lcbench.report.page.thinning import Extent, choose_details, details, evenly, thinning_note

SMALL = Extent(("purity", "nmi", "ari"), 2, 4, (10, 10))
LARGE = Extent(("purity", "nmi", "ari"), 2, 200, (100,))


def test_evenly_keeps_the_first_and_the_last_and_all_where_they_are_few():
    assert evenly(4, 25) == (1, 2, 3, 4)
    assert evenly(9, 5) == (1, 3, 5, 7, 9)
    assert evenly(200, 10)[0] == 1
    assert evenly(200, 10)[-1] == 200
    assert len(evenly(200, 10)) == 10


def test_each_lower_level_of_detail_is_smaller_than_the_one_before():
    sizes = [detail.size(LARGE) for detail in details(LARGE)]
    assert sizes == sorted(set(sizes), reverse=True)
    # by hand: 3 metrics, 1 + 2 + ... + 200 cells, 100 runs, 5 bytes each
    assert sizes[0] == 3 * 20_100 * 100 * 5
    assert sizes[-1] == 200 * 10 * 5


def test_data_that_fit_are_kept_whole_and_have_no_note():
    (kept,) = choose_details([SMALL])
    assert kept == details(SMALL)[0]
    assert thinning_note(kept, SMALL) == ""


def test_the_largest_stream_is_thinned_out_and_the_others_stay_whole():
    small, large = choose_details([SMALL, LARGE], budget=100_000)
    assert small == details(SMALL)[0]
    assert small.size(SMALL) + large.size(LARGE) <= 100_000
    assert "one order, as there are too many runs to choose among" in thinning_note(large, LARGE)


@pytest.mark.parametrize(("level", "words"), [(1, "2 metrics of 3."), (2, "2 metrics of 3 and 25 steps of 200.")])
def test_the_note_counts_the_metrics_and_steps_that_are_kept(level, words):
    assert thinning_note(details(LARGE)[level], LARGE) == f"To keep this page small the curves have {words}"


def test_streams_that_cannot_fit_are_thinned_out_to_the_lowest_level():
    assert choose_details([LARGE, LARGE], budget=1) == [details(LARGE)[-1]] * 2
