"""Reading sequences, and comparing them with chains."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.lib.entry.sequence import best_match, compare, read_fasta

UBIQUITIN = "MQIFVKTLTGKTITLEVEPSDTIENVKAKIQDKEGIPPDQQRLIFAGKQLEDGRTLSDYNIQKESTLHLVLRLRGG"


def test_fasta_text_gives_its_records() -> None:
    assert read_fasta(f">one\n{UBIQUITIN[:40]}\n{UBIQUITIN[40:]}\n>two\nACDEFGHIKLMN") == (UBIQUITIN, "ACDEFGHIKLMN")


def test_bare_letters_are_a_sequence() -> None:
    assert read_fasta("acdef GHIKL\n10 mn*-.") == ("ACDEFGHIKLMN",)


def test_short_sequences_are_ignored() -> None:
    assert read_fasta(">tag\nHHHHHH") == ()


def test_character_that_is_no_letter_is_named() -> None:
    with pytest.raises(ValueError, match="'§'"):
        read_fasta("ACDEF§GHIKL")


def test_same_sequence_is_identical() -> None:
    match = compare(UBIQUITIN, UBIQUITIN)
    assert (match.identity, match.coverage, match.aligned) == (1.0, 1.0, 76)


def test_tandem_construct_covers_the_shorter_sequence() -> None:
    match = compare(UBIQUITIN, "GSHM" + UBIQUITIN + "GGSGGS" + UBIQUITIN)
    assert (match.identity, match.coverage) == (1.0, 1.0)


def test_terminal_tags_cost_nothing() -> None:
    assert compare(UBIQUITIN, "MGSSHHHHHHSSGLVPRGSH" + UBIQUITIN[:60]).identity == 1.0


def test_point_mutation_lowers_identity_by_one_residue() -> None:
    mutant = UBIQUITIN[:47] + "R" + UBIQUITIN[48:]
    assert compare(UBIQUITIN, mutant).identity == pytest.approx(75 / 76)


def test_unknown_residues_never_match() -> None:
    unknown = UBIQUITIN[:30] + "X" + UBIQUITIN[31:]
    assert compare(unknown, unknown).identity == pytest.approx(75 / 76)


def test_random_sequences_are_no_match() -> None:
    """A longest common subsequence would call two random 110-mers 66 % similar."""
    letters = random.Random(7)
    for _ in range(20):
        one, other = ("".join(letters.choices("ACDEFGHIKLMNPQRSTVWY", k=110)) for _ in range(2))
        assert compare(one, other).identity < 0.6


def test_peptide_of_a_long_chain_is_too_short_to_match() -> None:
    assert best_match([UBIQUITIN], UBIQUITIN[:29])[1] is False
    assert best_match([UBIQUITIN], UBIQUITIN[:30])[1] is True


def test_best_of_several_records_decides() -> None:
    match, long_enough = best_match(["A" * 50, UBIQUITIN], UBIQUITIN)
    assert (match.identity, long_enough) == (1.0, True)


@given(st.text(alphabet="ACDEFGHIKLMNPQRSTVWYXUOJBZ", min_size=1, max_size=60))
def test_any_letters_can_be_compared(sequence: str) -> None:
    match = compare(sequence, UBIQUITIN)
    assert 0 <= match.identity <= 1
    assert 0 <= match.coverage <= 1
