"""Parsing of sequences from users."""

import gemmi
import pytest
from hypothesis import given, strategies as st

from tethermap.base.fasta import is_nucleotide, read_fasta, read_records, sequence_notes

UBIQUITIN = "MQIFVKTLTGKTITLEVEPSDTIENVKAKIQDKEGIPPDQQRLIFAGKQLEDGRTLSDYNIQKESTLHLVLRLRGG"


@pytest.mark.parametrize(
    ("text", "sequences"),
    [
        (f">one\n{UBIQUITIN[:40]}\n{UBIQUITIN[40:]}\n >two\nACDEFGHIKLMN", (UBIQUITIN, "ACDEFGHIKLMN")),
        ("acdef GHIKL\n10 mn*-.", ("ACDEFGHIKLMN",)),
        (">tag\nHHHHHH", ()),
        ("".join(chr(ord(letter) + 0xFEE0) for letter in UBIQUITIN), (UBIQUITIN,)),
    ],
    ids=["records", "bare letters", "too short", "full width"],
)
def test_text_gives_its_sequences(text: str, sequences: tuple[str, ...]) -> None:
    assert read_fasta(text) == sequences


def test_character_that_is_not_a_letter_is_named() -> None:
    with pytest.raises(ValueError, match="'§'"):
        read_fasta("ACDEF§GHIKL")


CODES = [gemmi.expand_one_letter(letter, gemmi.ResidueKind.AA) for letter in UBIQUITIN]


@pytest.mark.parametrize(
    "text",
    [
        " ".join(CODES),
        "-".join(code.capitalize() for code in CODES),
        "".join(code.capitalize() for code in CODES),
        ">ubiquitin\n" + "\n".join(" ".join(CODES[at : at + 13]) for at in range(0, len(CODES), 13)),
        "".join(
            f"SEQRES {row:3d} A {len(CODES):4d}  {' '.join(CODES[at : at + 13])}\n"
            for row, at in enumerate(range(0, len(CODES), 13), start=1)
        ),
    ],
)
def test_three_letter_codes_are_read_and_noted(text: str) -> None:
    assert read_fasta(text) == (UBIQUITIN,)
    assert sequence_notes(text) == ["The sequence was read from three-letter codes."]


@given(st.text("ACDEFGHIKLMNPQRSTVWY", min_size=10, max_size=80), st.integers(5, 70))
def test_one_letter_sequences_in_lines_of_any_length_are_unchanged(residues: str, width: int) -> None:
    text = "\n".join(residues[at : at + width] for at in range(0, len(residues), width))
    assert read_fasta(text) == (residues,)


def test_clustal_alignment_gives_each_sequence_without_gaps() -> None:
    text = (
        "CLUSTAL O(1.2.4) multiple sequence alignment\n\n\n"
        "P0CG48      MQIFVKTLTG--KTITLEVEPSD\t21\n"
        "sp|P62988   MQIFVRTLTGAAKTITLEVEPSD\t23\n"
        "            *****:****  **********\n\n"
        "P0CG48      TIENVKAK 29\n"
        "sp|P62988   TIENVKAK 31\n"
    )
    assert dict(read_records(text)) == {
        "P0CG48": "MQIFVKTLTGKTITLEVEPSDTIENVKAK",
        "sp|P62988": "MQIFVRTLTGAAKTITLEVEPSDTIENVKAK",
    }
    assert sequence_notes(text) == ["The sequences were read from an alignment, without its gaps."]


def test_nucleotides_with_ambiguity_letters_are_recognised() -> None:
    assert is_nucleotide("ATGGCCATTGTRATGGGNCGYAAACTGTTS")
    assert not is_nucleotide(UBIQUITIN)
    assert not is_nucleotide("GKSHMDVRWYBNKSHMDVRW")


def test_nucleotide_record_next_to_a_protein_is_named_once_and_not_used() -> None:
    gene = "ATGGCCATTGTAATGGGCCGCTGA"
    text = f">gene of x\n{gene}\n>protein\n{UBIQUITIN}\n"
    assert read_fasta(text) == (UBIQUITIN,)
    assert sequence_notes(text) == [
        (
            "The sequence gene consists of nucleotides and will not be used: "
            "chains are only compared with protein sequences."
        )
    ]
    assert sequence_notes(gene) == ["The sequence consists of nucleotides: give the protein sequence."]
