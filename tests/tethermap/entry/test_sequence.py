"""Comparing sequences with chains."""

import random

import pytest
from hypothesis import given, strategies as st

from tethermap.entry.sequence import SequenceMatch, best_match, compare

UBIQUITIN = "MQIFVKTLTGKTITLEVEPSDTIENVKAKIQDKEGIPPDQQRLIFAGKQLEDGRTLSDYNIQKESTLHLVLRLRGG"


def best_of(queries: list[str], chain: str) -> tuple[SequenceMatch, bool]:
    return best_match(queries, chain, min_identity=0.9, min_coverage=0.5)


MUTANT = f"{UBIQUITIN[:47]}R{UBIQUITIN[48:]}"
UNKNOWN = f"{UBIQUITIN[:30]}X{UBIQUITIN[31:]}"


@pytest.mark.parametrize(
    ("query", "chain", "identity"),
    [
        (UBIQUITIN, UBIQUITIN, 1),
        (UBIQUITIN, f"GSHM{UBIQUITIN}GGSGGS{UBIQUITIN}", 1),  # tandem
        (UBIQUITIN, f"MGSSHHHHHHSSGLVPRGSH{UBIQUITIN}", 1),  # tag
        (UBIQUITIN, MUTANT, 75 / 76),
        (UNKNOWN, UNKNOWN, 75 / 76),  # unknown residues never match
    ],
)
def test_identity_is_that_of_the_aligned_residues(query: str, chain: str, identity: float) -> None:
    match = compare(query, chain)
    assert match.identity == pytest.approx(identity)
    assert (match.coverage, match.aligned) == (1.0, 76)


def test_random_sequences_do_not_match() -> None:
    """A longest common subsequence would call two random 110-mers 66 % similar."""
    letters = random.Random(7)
    for _ in range(20):
        one, other = ("".join(letters.choices("ACDEFGHIKLMNPQRSTVWY", k=110)) for _ in range(2))
        assert compare(one, other).identity < 0.6


def test_match_needs_thirty_residues_or_the_whole_requested_peptide() -> None:
    assert [best_of([UBIQUITIN], UBIQUITIN[:n])[1] for n in (29, 30)] == [False, True]
    assert best_of([UBIQUITIN[5:17]], UBIQUITIN)[1] is True


def test_best_of_several_records_decides() -> None:
    match, passes = best_of(["A" * 50, UBIQUITIN], UBIQUITIN)
    assert (match.identity, passes) == (1.0, True)


def test_record_that_passes_precedes_one_with_more_coverage() -> None:
    """A paralogue of 85 % identity over the whole chain doesn't hide an exact part of it."""
    paralogue = "".join("W" if i % 7 == 3 else letter for i, letter in enumerate(UBIQUITIN))
    part = UBIQUITIN[:50] + "W" * 20
    assert compare(paralogue, UBIQUITIN).coverage > compare(part, UBIQUITIN).coverage
    for records in ([part], [paralogue, part]):
        match, passes = best_of(records, UBIQUITIN)
        assert (match, passes) == (compare(part, UBIQUITIN), True)


@given(st.text(alphabet="ACDEFGHIKLMNPQRSTVWYXUOJBZ", min_size=1, max_size=60))
def test_any_letters_can_be_compared(sequence: str) -> None:
    match = compare(sequence, UBIQUITIN)
    assert 0 <= match.identity <= 1
    assert 0 <= match.coverage <= 1
