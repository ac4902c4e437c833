"""Words of confidence: only for bins of enough ligands whose intervals are apart."""

from itertools import product

from hypothesis import given, strategies as st

from tethermap.exits.confidence import FEWEST_LIGANDS, Bin, Share, bin_of, words_of

BINS = [Bin(*flags) for flags in product((True, False), repeat=3)]


@st.composite
def shares(draw: st.DrawFn) -> Share:
    low, right, high = sorted(draw(st.lists(st.floats(0, 1), min_size=3, max_size=3)))
    return Share(draw(st.integers(1, 3 * FEWEST_LIGANDS)), right, low, high)


@given(st.dictionaries(st.sampled_from(BINS), shares()))
def test_bins_with_words_have_enough_ligands_and_differ(measured: dict[Bin, Share]) -> None:
    words = words_of(measured)
    order = {"high": 2, "medium": 1, "low": 0}
    assert set(words.values()) <= order.keys()
    assert all(measured[one].n_ligands >= FEWEST_LIGANDS for one in words)
    for one, other in product(words, repeat=2):
        if order[words[one]] > order[words[other]]:
            assert measured[one].low > measured[other].high


def test_bin_depends_on_open_share_score_and_chemistry() -> None:
    assert bin_of(2.0, 0.5, "amine N-H") == Bin(open=True, high_score=True, common=True)
    assert bin_of(1.99, 0.49, "aromatic C-H") == Bin(open=False, high_score=False, common=False)
