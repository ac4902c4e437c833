from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st

from tests.tethermap.sources.fake import FakeSource, entry
from tests.tethermap.sources.make import filters
from tethermap.sources.base import SourceError
from tethermap.sources.search import SearchResult, add_sequence_hits, find_entries, pinned_entries, sequences_of
from tethermap.sources.selection import entry_rows


def _source() -> FakeSource:
    return FakeSource(
        entry("1abc", "EGFR kinase with erlotinib", uniprot=("P00533",)),
        entry("2abc", "EGFR kinase", uniprot=("P00533",)),
        entry("3abc", "HER2 kinase", uniprot=("P04626",)),
        entry("4abc", "trypsin"),
    )


def _ids(outcome: SearchResult) -> list[str]:
    return [candidate.entry_id for candidate in outcome.candidates]


def _hits(outcome: SearchResult) -> dict[str, list[str]]:
    return {candidate.entry_id: candidate.hits for candidate in outcome.candidates}


def test_all_words_best_first() -> None:
    outcome = find_entries(_source(), "EGFR kinase", "x")
    assert list(_hits(outcome).items()) == [("2abc", ["all_words"]), ("1abc", ["all_words"])]
    assert outcome.fallbacks == []


def test_named_entries_come_first_and_join_the_rest() -> None:
    outcome = find_entries(_source(), "4ABC EGFR 1abc", "x")
    assert _ids(outcome) == ["4abc", "1abc", "2abc"]
    assert _hits(outcome)["1abc"] == ["named", "all_words"]
    assert [c.exempt for c in outcome.candidates] == [True, True, False]


def test_an_unknown_id_or_accession_found_in_texts_is_a_word() -> None:
    source = FakeSource(entry("1abc", "5HT3 receptor"), entry("2abc", "P2RY12 receptor"))
    outcome = find_entries(source, "5HT3 receptor", "x")
    assert (_ids(outcome), outcome.not_found) == (["1abc"], [])
    assert "5HT3 looks like a PDB id" in outcome.notes[0]
    assert _ids(find_entries(source, "P2RY12", "x")) == ["2abc"]


@pytest.mark.parametrize(
    ("query", "target", "found", "by", "fallbacks", "note"),
    [
        ("trypsin HER2", "x", "3abc 4abc", "any_word", ["any_word"], "trypsin, HER2"),
        ("P00533 zebra", "x", "1abc 2abc", "accession:P00533", ["words_dropped"], "ignored the words"),
        ("zebra", "trypsin", "4abc", "target_name/all_words", ["target_name"], "target's name"),
        ("Zebra", " zebra ", "", "", [], "Nothing was found"),
        ("4abc", "EGFR", "4abc", "named", [], ""),
    ],
)
def test_a_fallback_is_used_only_if_nothing_was_found_and_has_a_note(
    query: str, target: str, found: str, by: str, fallbacks: list[str], note: str
) -> None:
    outcome = find_entries(_source(), query, target)
    assert (_hits(outcome), outcome.fallbacks) == ({entry_id: [by] for entry_id in found.split()}, fallbacks)
    assert note in " ".join(outcome.notes[:1])


def test_a_word_of_one_letter_narrows_a_search_but_finds_nothing() -> None:
    source = FakeSource(entry("1abc", "cathepsin B"), entry("2abc", "cathepsin K"), entry("3abc", "B-Raf"))
    assert _ids(find_entries(source, "cathepsin B", "x")) == ["1abc"]
    narrowed = find_entries(source, "cathepsin X", "y")
    assert set(_ids(narrowed)) == {"1abc", "2abc"}
    assert "the search used only cathepsin" in narrowed.notes[0]
    alone = find_entries(source, "b", "../k")
    assert _ids(alone) == []
    assert [note for note in alone.notes if "too short" in note] == [
        "b: too short for a search; add a word of two letters or more.",
        "/k: too short for a search; add a word of two letters or more.",
    ]


def test_a_search_that_finds_nothing_names_the_remedy() -> None:
    assert find_entries(_source(), "zebra", "quagga").notes[-1] == (
        "Nothing was found for 'zebra' and 'quagga': try fewer or other words, a PDB id, or another source."
    )
    assert "Nothing was found for 'zebra': " in find_entries(_source(), "zebra", "Zebra").notes[-1]


def test_several_accessions_are_alternatives_and_words_narrow() -> None:
    outcome = find_entries(_source(), "P00533 P04626", "x")
    assert _hits(outcome)["3abc"] == ["accession:P00533,P04626"]
    rows = {row["pdb_id"]: row["hits"] for row in entry_rows(_source(), outcome, filters())}
    assert (rows["1abc"], rows["3abc"]) == ("accession:P00533", "accession:P04626")
    assert len(_ids(outcome)) == 3
    assert _hits(find_entries(_source(), "P00533 erlotinib", "x")) == {"1abc": ["accession:P00533", "all_words"]}


@pytest.mark.parametrize(
    ("query", "told"),
    [("P07900", "entry of P07900"), ("kinase P07900", "entry of P07900"), ("UniProt:P07900", "entry of P07900"),
     ("P07900 Q99999 -HER2", "entry of Q99999"), ("PDB:9ZZZ", "entry 9ZZZ"), ("rcsb.org/structure/9zzz", "entry 9ZZZ"),
     ("pdb_00009zzz", "entry 9ZZZ")],
)  # fmt: skip
def test_absent_named_entries_are_an_answer(query: str, told: str) -> None:
    outcome = find_entries(_source(), query, "EGFR kinase")
    assert (_ids(outcome), outcome.fallbacks) == ([], [])
    assert f"No {told} here (fake): check it, give a name instead, or another source." in outcome.notes
    assert outcome.parsed["absent"] == outcome.absent != []
    assert outcome.not_found == ([] if "entry of" in told else ["9zzz"])


@pytest.mark.parametrize(("query", "found"), [("9zzz", []), ("4abc 9zzz", ["4abc"])])
def test_an_unknown_id_is_listed_and_selects_no_other_entries(query: str, found: list[str]) -> None:
    outcome = find_entries(_source(), query, "EGFR kinase")
    assert (_ids(outcome), outcome.not_found, outcome.fallbacks) == (found, ["9zzz"], [])


def test_an_absent_accession_selects_none_of_the_users_own_files() -> None:
    source = FakeSource(entry("pose-1"), entry("pose-2"), lists_all=True)
    assert _ids(find_entries(source, "P07900", "x")) == []
    assert _ids(find_entries(source, "PDB:9ZZZ", "x")) == []


def test_all_sides_of_an_or_are_searched() -> None:
    source = FakeSource(entry("1abc", "tyrosine kinase c Src"), entry("2abc", "Abl kinase"), entry("3abc", "trypsin"))
    outcome = find_entries(source, "c-Src OR Bcr-Abl", "x")
    assert set(_ids(outcome)) == {"1abc", "2abc"}
    assert "the search used any of its parts (bcr, abl)" in outcome.notes[0]
    outcome = find_entries(source, "trypsin OR zebra OR -kinase", "x")
    assert _ids(outcome) == ["3abc"]
    assert outcome.notes == [
        "kinase: excluded, but nothing is searched for; give a word as well.",
        "Nothing was found for one side of OR: zebra.",
    ]


_SIDES = ["EGFR", "HER2", "trypsin", "P00533", "P04626", "PDB:4ABC", "EGFR kinase", "kinase -EGFR", "zebra-EGFR",
          "3abc"]  # fmt: skip


@given(st.lists(st.sampled_from(_SIDES), min_size=1, max_size=4))
def test_an_or_finds_the_hits_of_its_sides(sides: list[str]) -> None:
    alone = {entry_id for side in sides for entry_id in _ids(find_entries(_source(), side, side))}
    assert set(_ids(find_entries(_source(), " OR ".join(sides), "x"))) == alone


def test_a_withdrawn_entry_leads_to_its_successor() -> None:
    source = _source()
    source.replaced["1old"] = ("4abc",)
    (candidate,) = find_entries(source, "1old", "x").candidates
    assert (candidate.requested_id, candidate.entry_id) == ("1old", "4abc")


FOUND = {
    "3abc": ["kinase -EGFR", "kinase NOT EGFR", "kinase -P00533"],
    "1abc 2abc": ["kinase AND EGFR", "P00533", "P00533 P07900", "PDB:9ZZZ EGFR"],
    "1abc 3abc": ["kinase -2ABC"],
    "3abc 4abc": ["trypsin OR HER2 kinase", "P04626 OR trypsin"],
    "2abc 3abc 4abc": ["kinase -erlotinib OR trypsin"],
    "4abc": ["P07900 OR trypsin", "P07900 4abc"],
    "": ["-kinase", "../x", "$(touch x)", "-rf", "x" * 200, "😀", '"; DROP TABLE', "*", "'"],
}
"""Queries by the entries that they find."""


@pytest.mark.parametrize(("query", "found"), [(query, found) for found, queries in FOUND.items() for query in queries])
def test_a_query_finds_the_entries_of_its_parts(query: str, found: str) -> None:
    assert sorted(_ids(find_entries(_source(), query, query))) == found.split()


def test_brackets_next_to_operators_are_refused_in_one_sentence() -> None:
    with pytest.raises(SourceError, match="write each side of an OR in full"):
        find_entries(_source(), "(EGFR OR HER2) kinase", "x")


def test_own_files_are_all_used_without_words_and_those_without_metadata_when_they_are_listed() -> None:
    source = FakeSource(entry("model", ""), entry("other", "a kinase"), lists_all=True)
    assert _hits(find_entries(source, "", "x")) == {"model": ["all_files"], "other": ["all_files"]}
    source.wordless = ["model"]
    assert _hits(find_entries(source, "kinase", "x")) == {"other": ["all_words"], "model": ["listed"]}


def test_pinned_entries_are_exactly_those_and_missing_ones_are_named() -> None:
    outcome = pinned_entries(_source(), ["3ABC", "pdb_00001abc", "9zzz", "3abc"])
    assert _ids(outcome) == ["3abc", "1abc"]
    assert _hits(outcome)["3abc"] == ["pinned"]
    assert outcome.not_found == ["9zzz"]
    assert outcome.notes == ["The source (fake) does not have these entries: 9zzz."]


def test_sequence_hits_follow_word_hits_and_join() -> None:
    source = _source()
    source.sequence_hits = [("4abc", 1.0), ("2abc", 0.9), ("3abc", 0.9)]
    outcome = find_entries(source, "EGFR", "x")
    add_sequence_hits(source, outcome, ["MKV"], 0.9)
    assert _ids(outcome) == ["2abc", "1abc", "4abc", "3abc"]
    assert _hits(outcome)["2abc"] == ["all_words", "sequence"]
    assert outcome.totals["sequence"] == 3


def test_equal_sequences_are_searched_for_once() -> None:
    assert sequences_of(">one\nMKVLAAMKVL\n>two\nGGGGG-GGGGG\n>again\nmkvlaamkvl") == ["MKVLAAMKVL", "GGGGGGGGGG"]


@pytest.mark.parametrize("fasta", ["", ">only a title\n", "MKV1", "MKVé"])
def test_invalid_sequence_is_one_sentence(fasta: str) -> None:
    with pytest.raises(
        SourceError, match=r"^(?:The sequence can't be used: '.' is not a|There is no sequence of 10 residues)"
    ):
        sequences_of(fasta)


def test_source_is_queried_once_for_all_accessions(monkeypatch: pytest.MonkeyPatch) -> None:
    """RCSB answers one request for each accession in question."""
    source = _source()
    ask, asked = source.known_accessions, list[str]()

    def counted(accessions: Sequence[str]) -> set[str]:
        asked.extend(accessions)
        return ask(accessions)

    monkeypatch.setattr(source, "known_accessions", counted)
    find_entries(source, "P00533 P04626 Q99999", "x")
    assert sorted(asked) == ["P00533", "P04626", "Q99999"]


@pytest.mark.parametrize(
    ("query", "told"),
    [("kinas* EGFR", "Words are searched for whole"), ("\uff25\uff27\uff26\uff32 kinase", "Full-width letters")],
)
def test_wildcards_and_full_width_letters_get_a_sentence(query: str, told: str) -> None:
    outcome = find_entries(_source(), query, "EGFR")
    assert outcome.notes[0].startswith(told)
    assert set(_ids(outcome)) == {"1abc", "2abc"}


@pytest.mark.parametrize("query", ["HLA-A*02:01", "EGFR kinase?", "A * B", "CYP2C*"])
def test_signs_that_are_not_wildcards_get_none(query: str) -> None:
    told = find_entries(_source(), query, "EGFR").notes
    assert any("searched for whole" in note for note in told) is query.endswith("C*")
