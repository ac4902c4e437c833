from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.lib.identifiers import entry_id_of, is_entry_id
from scripts.lib.sources.query import parse_query, spellings, words_of
from scripts.lib.sources.rcsb_queries import full_text
from scripts.lib.sources.text_index import match_expression


def test_words_ids_accessions_and_phrases_are_told_apart() -> None:
    query = parse_query('EGFR "kinase  domain" 1M17, P00533 pdb_00005T35')
    assert query.terms == ("EGFR", "kinase domain")
    assert query.entry_ids == ("1m17", "5t35")
    assert query.accessions == ("P00533",)


def test_an_isoform_counts_as_its_accession() -> None:
    assert parse_query("P00533-2").accessions == ("P00533",)


def test_an_id_in_quotation_marks_is_text() -> None:
    query = parse_query('"1M17"')
    assert (query.entry_ids, query.terms) == ((), ("1M17",))


def test_what_looks_like_an_id_but_is_unknown_becomes_a_word_as_written() -> None:
    query = parse_query("5HT3 receptor P2RY12")
    assert query.entry_ids == ("5ht3",)
    assert query.words(set(), set()) == ("receptor", "5HT3", "P2RY12")
    assert query.words({"5ht3"}, {"P2RY12"}) == ("receptor",)


def test_long_extended_ids_stay_extended() -> None:
    assert entry_id_of("pdb_1abcdefg") == "pdb_1abcdefg"


@pytest.mark.parametrize("word", ["EGFR", "12345", "pdb_1234", "1m1", "../x", "1m17.cif", "1М17"])
def test_other_words_are_no_ids(word: str) -> None:
    assert entry_id_of(word) == ""


def test_typographic_quotation_marks_make_phrases() -> None:
    assert parse_query("“main protease”").terms == ("main protease",)


def test_an_unclosed_quotation_mark_reaches_to_the_end() -> None:
    assert parse_query('a "b c').terms == ("a", "b c")


def test_capital_operators_join_and_exclude_and_others_are_words() -> None:
    query = parse_query('EGFR AND kinase OR HER2 NOT antibody -"main chain" NEAR or')
    assert [tuple(clause.terms) for clause in query.clauses] == [("EGFR", "kinase"), ("HER2", "NEAR", "or")]
    assert query.excluded == ("antibody", "main chain")


@pytest.mark.parametrize("text", ["OR EGFR OR", "AND EGFR", "EGFR NOT", "EGFR -", "NOT OR EGFR"])
def test_operators_without_words_are_nothing(text: str) -> None:
    query = parse_query(text)
    assert (query.terms, query.excluded, len(query.clauses)) == (("EGFR",), (), 1)


@pytest.mark.parametrize(
    ("text", "grouped"),
    [("(EGFR OR HER2) kinase", True), ("kinase -(EGFR HER2)", True), ("( EGFR ) OR BTK", True), ("EGFR (human)", False),
     ("N-(4-fluorophenyl)acetamide OR BTK", False)],
)  # fmt: skip
def test_brackets_that_group_are_told_from_those_of_names(text: str, grouped: bool) -> None:
    assert parse_query(text).has_brackets is grouped


def test_parts_without_letters_are_ignored_and_said() -> None:
    query = parse_query("😀 * EGFR")
    assert query.terms == ("EGFR",)
    assert query.ignored == ("😀", "*")


@pytest.mark.parametrize(
    ("term", "phrases"),
    [
        ("HIV-1", {"hiv 1", "hiv1"}),
        ("HIV1", {"hiv1", "hiv 1"}),
        ("SARS-CoV-2", {"sars cov 2", "sars cov2", "sarscov 2", "sarscov2"}),
        ("EGFR", {"egfr"}),
        ("5HT6", {"5ht6", "5 ht6", "5 ht 6", "5ht 6"}),
        ("3CL", {"3cl", "3 cl"}),
        ("p38α", {"p38 alpha", "p38alpha"}),
        ("β-lactamase", {"beta lactamase", "betalactamase"}),
        ("main protease", {"main protease"}),
        ("T790M", {"t790m"}),
    ],
)
def test_a_word_is_found_however_its_hyphens_are_written(term: str, phrases: set[str]) -> None:
    assert set(spellings(term)) == phrases


@pytest.mark.parametrize(
    "text", ['" OR "1"="1', "a* NEAR(b)", "'; DROP TABLE entries; --", 'title:"x"', "^a + -b", "a\\"]
)
def test_full_text_expressions_hold_only_quoted_letters_and_digits(text: str) -> None:
    terms = parse_query(text).terms
    for expression in (match_expression(terms, any_term=False), full_text(terms, any_term=False)):
        outside = "".join(expression.split('"')[::2])
        assert set(outside) <= set("ANDOR+|() ")
        assert all(word.isalnum() for inside in expression.split('"')[1::2] for word in inside.split())


@given(st.text())
def test_any_text_can_be_taken_apart(text: str) -> None:
    query = parse_query(text)
    assert all(any(c.isalnum() for c in term) for term in query.terms)
    assert all(is_entry_id(name) for name in query.entry_ids)
    assert not {*query.terms, *query.excluded} & set(query.ignored)


@given(st.lists(st.from_regex(r"[A-Za-z]{5,9}", fullmatch=True), min_size=1))
def test_plain_words_come_out_as_they_went_in(words: list[str]) -> None:
    assert parse_query(" ".join(words)).terms == tuple(dict.fromkeys(words))


@given(st.text())
def test_spellings_are_made_of_the_words_letters_alone(text: str) -> None:
    letters = "".join(words_of(text))
    assert all(phrase.replace(" ", "") == letters for phrase in spellings(text))


@given(st.text(max_size=30))
def test_nothing_that_counts_as_an_id_can_leave_a_folder(text: str) -> None:
    if is_entry_id(text):
        assert text.isascii()
        assert text.replace("_", "").isalnum()
