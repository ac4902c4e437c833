"""Selection of the target's chains."""

from contextlib import nullcontext

import pytest

from tethermap.entry.metadata import EntryMetadata, PolymerEntity
from tethermap.entry.reader import EntryError
from tethermap.entry.target import find_target
from tethermap.entry.target_query import TargetQuery

KINASE = PolymerEntity(
    "1",
    auth_asym_ids=("A",),
    description="Epidermal growth factor receptor",
    names=("Receptor tyrosine-protein kinase erbB-1", "EGFR_HUMAN"),
    genes=("EGFR", "ERBB1"),
    uniprot=("P00533",),
    sequence="GSMGEAPNQALLRILKETEFKKIKVLGSGAFGTVYKGLWIPEGEKVKIPVAIKELREATSPKANKEILDEAYVMASVDNPHVCRLLGICLTSTVQLITQLM",
)
PEPTIDE = PolymerEntity("2", auth_asym_ids=("B",), description="substrate peptide", sequence="EEEEYFELV")
ENTRY = EntryMetadata("1abc", entities=(KINASE, PEPTIDE))


def match(query: TargetQuery) -> tuple[str, list[str]]:
    found = find_target(ENTRY, query)
    return found.match, [chain for entity in found.entities for chain in entity.auth_asym_ids]


def test_accession_of_the_query_comes_first() -> None:
    assert match(TargetQuery("peptide", accessions=frozenset({"P00533"}))) == ("accession", ["A"])


@pytest.mark.parametrize("name", ["EGFR", "egfr", "ErbB1", "EGFR kinase domain"])
def test_gene_or_synonym_names_the_chain(name: str) -> None:
    assert match(TargetQuery(name)) == ("gene", ["A"])


def test_all_words_of_the_name_must_be_in_the_polymers_names() -> None:
    assert match(TargetQuery("growth factor receptor")) == ("name", ["A"])
    assert match(TargetQuery("growth hormone receptor"))[0] == "unmatched"


def test_entry_named_by_id_or_without_match_counts_whole() -> None:
    assert match(TargetQuery("something else", named_entries=frozenset({"1abc"}))) == ("named", ["A", "B"])
    assert match(TargetQuery("something else")) == ("unmatched", ["A", "B"])


def test_strict_target_rejects_an_entry_without_match() -> None:
    with pytest.raises(EntryError, match="unmatched_target"):
        find_target(ENTRY, TargetQuery("something else", strict=True))


def test_only_the_sequence_decides_when_given() -> None:
    query = TargetQuery("peptide", accessions=frozenset({"Q99999"}), sequences=(KINASE.sequence,))
    assert match(query) == ("sequence", ["A"])


def test_sequence_that_matches_nothing_rejects_the_entry_with_its_best_identity() -> None:
    with pytest.raises(EntryError, match=r"no_target_chain: identity 0\.\d+, coverage"):
        find_target(ENTRY, TargetQuery("EGFR", sequences=("MQIFVKTLTGKTITLEVEPSDTIENVKAKIQDKEGIPPDQQRLIFAGKQLE",)))


@pytest.mark.parametrize(("identity", "found"), [(0.9, True), (0.97, False)])
def test_least_identity_is_the_requested_one(identity: float, found: bool) -> None:
    mutant = "".join("W" if i % 20 == 10 else letter for i, letter in enumerate(KINASE.sequence))
    with nullcontext() if found else pytest.raises(EntryError):
        assert match(TargetQuery("x", sequences=(mutant,), min_identity=identity))[0] == "sequence"


def test_least_coverage_is_of_the_shorter_sequence() -> None:
    half = KINASE.sequence[:40] + "W" * 60
    with pytest.raises(EntryError):
        find_target(ENTRY, TargetQuery("x", sequences=(half,), min_coverage=0.8))
