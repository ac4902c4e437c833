"""Settings of the cleaning from the settings of a job."""

from typing import Any

from tethermap.base.config import resolve
from tethermap.complex.settings import CleanSettings
from tethermap.steps import clean_complexes, parameters


def clean_settings(**changes: Any) -> CleanSettings:
    given = resolve({"target_name": "EGFR", "search_query": "kinase", "source": {"kind": "archive"}, **changes})
    return clean_complexes.clean_settings(parameters.cleaning(given))


def test_ids_and_accessions_of_the_query_name_the_target() -> None:
    target = clean_settings(search_query="1M17 P00533 kinase").target
    assert target.named_entries == {"1m17"}
    assert target.accessions == {"P00533"}


def test_pinned_entries_are_not_named_by_the_query() -> None:
    """A rerun that pins the entries of a job must find the same target chains for the same reasons."""
    assert clean_settings(filters={"entries": ["1m17"]}).target.named_entries == frozenset()


def test_words_in_capitals_name_components() -> None:
    assert clean_settings(search_query="kinase ATP inhibitor 478").named == {"ATP", "478"}


def test_codes_have_any_case() -> None:
    asked = clean_settings(filters={"only_ligands": ["sti"], "always_keep": ["gol"]})
    assert asked.only_ligands == {"STI"}
    assert asked.always_keep == {"GOL"}


def test_sequences_are_read_from_fasta() -> None:
    assert clean_settings(fasta_seq=">x\nACDEFGHIKLMNPQ").target.sequences == ("ACDEFGHIKLMNPQ",)
