"""Reading sequences as users give them."""

from __future__ import annotations

import pytest

from tethermap.base.fasta import read_fasta

UBIQUITIN = "MQIFVKTLTGKTITLEVEPSDTIENVKAKIQDKEGIPPDQQRLIFAGKQLEDGRTLSDYNIQKESTLHLVLRLRGG"


def test_fasta_text_gives_its_records() -> None:
    assert read_fasta(f">one\n{UBIQUITIN[:40]}\n{UBIQUITIN[40:]}\n >two\nACDEFGHIKLMN") == (UBIQUITIN, "ACDEFGHIKLMN")


def test_bare_letters_are_a_sequence() -> None:
    assert read_fasta("acdef GHIKL\n10 mn*-.") == ("ACDEFGHIKLMN",)


def test_short_sequences_are_ignored() -> None:
    assert read_fasta(">tag\nHHHHHH") == ()


def test_character_that_is_no_letter_is_named() -> None:
    with pytest.raises(ValueError, match="'§'"):
        read_fasta("ACDEF§GHIKL")
