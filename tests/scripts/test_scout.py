"""What a job would take, and which proteins stand in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts import scout
from scripts.lib import layout
from scripts.lib.entry.model import PolymerEntity
from scripts.lib.entry.proteins import proteins_of
from scripts.lib.run.logs import read_error


def test_proteins_of_one_accession_are_one_and_the_most_frequent_come_first() -> None:
    crbn = PolymerEntity(
        "1", "polypeptide(L)", (), ("B",), "Protein cereblon", (), ("CRBN",), ("Q96SW2",), ("Homo",), "MK"
    )
    ddb1 = PolymerEntity("2", "polypeptide(L)", (), ("A",), "DDB1", (), ("DDB1",), ("Q16531",), ("Homo",), "MS")
    dna = PolymerEntity("3", "polydeoxyribonucleotide", description="a strand", sequence="GATTACA")
    found = proteins_of({"4ci1": (ddb1, crbn), "4tz4": (crbn,), "1dna": (dna,)})
    assert [(one["gene"], one["n_entries"], one["entity"]) for one in found] == [
        ("CRBN", 2, "4ci1_1"), ("DDB1", 1, "4ci1_2"), ("", 1, "1dna_3"),
    ]  # fmt: skip
    assert [one["kind"] for one in found] == ["protein", "protein", "nucleic acid"]
    assert (found[0]["chains"], found[0]["sequence"]) == (["B"], "MK")


@pytest.mark.parametrize(("query", "status"), [("bromodomain", 0), ("(a OR b) c", 1)])
def test_search_alone_leaves_entries_and_proteins_or_the_reason(query: str, status: int, tmp_path: Path) -> None:
    config = tmp_path / "job.json"
    asked = {"target_name": "BAZ2B", "search_query": query, "source": {"kind": "archive"}, "cache_dir": str(tmp_path)}
    config.write_text(json.dumps({**asked, "fasta_seq": "ATGGCCATTGTAATGGGCCGC"}))
    assert scout.main(config, tmp_path / "job") == status
    if status:
        assert "brackets" in read_error(tmp_path / "job")["message"]
        return
    (protein,) = json.loads((tmp_path / "job" / layout.PROTEINS).read_text())
    assert (protein["accession"], protein["entity"], protein["n_entries"]) == ("Q9UIF8", "4cup_1", 1)
    notes = json.loads((tmp_path / "job" / layout.SEARCH_QUERY).read_text())["notes"]
    assert any("nucleotides" in note for note in notes)
