"""Preview of a job, and the proteins in its entries."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from scripts import scout
from tests.standin import StandIn
from tests.tools.styles import complex_atoms, pdb_line
from tethermap.base.fasta import SHORTEST_SEQUENCE, read_fasta
from tethermap.entry.model import EntryMetadata, PolymerEntity
from tethermap.entry.proteins import proteins_of
from tethermap.entry.sequence import best_match
from tethermap.entry.target import find_target
from tethermap.entry.target_query import TargetQuery
from tethermap.sources.mirror import MirrorSource


def test_proteins_of_one_accession_are_one_and_the_most_frequent_come_first() -> None:
    crbn = PolymerEntity(
        "1", "polypeptide(L)", (), ("B",), "Protein cereblon", (), ("CRBN",), ("Q96SW2",), ("Homo",), "MK" * 20
    )
    ddb1 = PolymerEntity("2", "polypeptide(L)", (), ("A",), "DDB1", (), ("DDB1",), ("Q16531",), ("Homo",), "MS" * 20)
    dna = PolymerEntity("3", "polydeoxyribonucleotide", description="a strand", sequence="GATTACA")
    found = proteins_of({"4ci1": (ddb1, crbn), "4tz4": (crbn,), "1dna": (dna,)})
    assert [(one["gene"], one["n_entries"], one["entity"]) for one in found] == [
        ("CRBN", 2, "4ci1_1"), ("DDB1", 1, "4ci1_2"), ("", 1, "1dna_3"),
    ]  # fmt: skip
    assert [one["kind"] for one in found] == ["protein", "protein", "nucleic acid"]
    assert (found[0]["chains"], found[0]["sequence"]) == (["B"], "MK" * 20)


def test_inhibitor_peptide_is_not_offered_as_a_target() -> None:
    found = proteins_of({"1abc": [_domain("A" * 39, "P1")], "2abc": [_domain("A" * 40, "P2")]})
    assert [one["kind"] for one in found] == ["peptide", "protein"]


def _domain(letters: str, accession: str = "O60885") -> PolymerEntity:
    return PolymerEntity("1", "polypeptide(L)", description="BRD4", uniprot=(accession,), sequence=letters)


FIRST, SECOND = "NPPPPETSNPNKPKRQTNQLQYLLRVVLKTLWKHQF", "VSEQLKCCSGILKEMFAKKHAAYAWPFYKPVDVEALGLHDYCD"


def test_protein_of_several_domains_has_the_sequence_of_each() -> None:
    mutant, both = FIRST.replace("PETS", "PATS"), f"GSHM{FIRST}{'GGSGGS' * 3}{SECOND}"
    found = proteins_of(
        {"1aaa": (_domain(FIRST),), "1bbb": (_domain(mutant),), "1ccc": (_domain(SECOND),), "1ddd": (_domain(both),)}
    )
    assert [one["sequence"] for one in found] == [f">BRD4 construct 1\n{FIRST}\n>BRD4 construct 2\n{SECOND}\n"]
    assert found[0]["n_entries"] == 4
    strict = proteins_of({"1aaa": (_domain(FIRST),), "1bbb": (_domain(mutant),)}, min_identity=1.0)
    assert strict[0]["sequence"].count(">") == 2


def test_proteins_of_the_mirror_find_each_of_their_entries(mirror: Path, tmp_path: Path) -> None:
    """If no construct is too short to be a query sequence."""
    source = MirrorSource(mirror, tmp_path).open()
    polymers = source.polymers(source.all_entries())
    several = 0
    for protein in proteins_of(polymers):
        if protein["kind"] == "nucleic acid" or not protein["accession"]:
            continue
        query = TargetQuery("x", sequences=read_fasta(protein["sequence"]))
        several += len(query.sequences) > 1
        for entry_id, entities in polymers.items():
            own = [one for one in entities if one.uniprot[:1] == (protein["accession"],)]
            if [one for one in own if len(one.sequence) >= SHORTEST_SEQUENCE]:
                matched = find_target(EntryMetadata(entry_id, entities=entities), query).entities
                assert set(own) & set(matched), (protein["name"], entry_id)
    assert several >= 5


@given(st.lists(st.text("ACDEFGHIKLMNPQRSTVWYX", min_size=0, max_size=60), min_size=1, max_size=6))
def test_sequence_of_a_protein_matches_every_construct_that_matches_itself(constructs: list[str]) -> None:
    limits = {"min_identity": 0.9, "min_coverage": 0.5}
    (protein,) = proteins_of({f"{n}abc": (_domain(letters),) for n, letters in enumerate(constructs)}, **limits)
    sequences = read_fasta(protein["sequence"])
    for letters in constructs:
        if len(letters) >= SHORTEST_SEQUENCE and best_match([letters], letters, **limits)[1]:
            assert best_match(sequences, letters, **limits)[1]


Searched = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def searched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Searched:
    """Run a preview; returns its exit status and output."""

    def search(**asked: object) -> tuple[int, dict[str, Any]]:
        config = tmp_path / "job.json"
        config.write_text(json.dumps({"target_name": "BAZ2B", "cache_dir": str(tmp_path), **asked}))
        return scout.main(config), json.loads(capsys.readouterr().out)

    return search


@pytest.mark.parametrize(("query", "status"), [("bromodomain \N{COLLISION SYMBOL}", 0), ("(a OR b) c", 1)])
def test_search_returns_entries_and_proteins_or_the_reason(query: str, status: int, searched: Searched) -> None:
    asked = {"search_query": query, "source": {"kind": "archive"}, "fasta_seq": "ATGGCCATTGTAATGGGCCGC"}
    ended, found = searched(**asked)
    assert ended == status
    if status:
        assert "brackets" in found["error"]["message"]
        return
    assert [row["pdb_id"] for row in found["entries"]] == ["4cup"]
    (protein,) = found["proteins"]
    assert (protein["accession"], protein["entity"], protein["n_entries"]) == ("Q9UIF8", "4cup_1", 1)
    assert any("nucleotides" in note for note in found["notes"])


def test_preview_does_not_wait_for_a_service_that_does_not_answer(standin: StandIn, searched: Searched) -> None:
    """A job tries five times; a preview fails after two attempts, within five seconds."""
    standin.fault("search", "status", status=503)
    status, found = searched(search_query="bromodomain", source={"kind": "rcsb"})
    assert (status, standin.count("search")) == (1, 2)
    assert "(2 attempts)" in found["error"]["message"]


def test_chains_of_files_without_sequences_are_the_proteins_to_choose_from(tmp_path: Path, searched: Searched) -> None:
    """Chain A whole, B without its first 40 residues, C a strand of nucleotides."""
    protein = [atom for atom in complex_atoms() if not atom.is_ligand]
    begin = protein[0].number + 40
    chains = {"A": protein, "B": [atom for atom in protein if atom.number >= begin]}
    lines = [
        pdb_line(serial, atom, record="ATOM", code=atom.comp_id, chain=chain, number=atom.number)
        for chain, atoms in chains.items()
        for serial, atom in enumerate(atoms, start=1)
    ]
    base = replace(protein[0], name="P", element="P")
    lines += [
        pdb_line(k, replace(base, xyz=(6.0 * k, 0.0, 90.0)), record="ATOM", code="DA", chain="C", number=k)
        for k in range(1, 45)
    ]
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "model.pdb").write_text("".join([*lines, "END\n"]))
    (tmp_path / "files" / "damaged.pdb").touch()
    told = searched(search_query="", source={"kind": "files", "files": [str(tmp_path / "files")]})[1]
    assert told["notes"] == ["damaged: The file is empty."]
    found = told["proteins"]
    assert [(one["name"], one["chains"]) for one in found] == [
        ("protein of 115 residues", ["A"]), ("protein of 75 residues", ["B"]), ("nucleic acid of 44 residues", ["C"]),
    ]  # fmt: skip
    assert found[0]["sequence"].endswith(found[1]["sequence"])
