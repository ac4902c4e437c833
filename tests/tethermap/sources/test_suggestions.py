"""Names that complete a text, from the index of a folder and from RCSB's suggest service."""

from pathlib import Path

import pytest

from tests.standin import StandIn
from tests.tethermap.sources.make import cif_text, write
from tethermap.sources.mirror import MirrorSource
from tethermap.sources.suggestions import ARCHIVE, Suggestion, suggest

PROTEIN = {"sequence": "GSHMEVKLTPAD" * 5}


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    for name, gene, accession, title in (("1abc", "EGFR", "P00533", "Epidermal growth factor receptor"),
                                         ("2abc", "EGFR", "P00533", "Epidermal growth factor receptor"),
                                         ("3abc", "Egfr", "Q01279", "Epidermal growth factor receptor"),
                                         ("4abc", "EGLN1", "Q9GZT9", "Egl nine homolog 1")):  # fmt: skip
        text = cif_text(name, gene=gene, uniprot=accession, description=title, **PROTEIN)
        write(tmp_path / "m" / f"{name}.cif.gz", text)
    write(tmp_path / "m" / "5abc.cif.gz", cif_text("5abc", gene="EGP", description="Egg peptide", sequence="GSHMEVK"))
    MirrorSource(tmp_path / "m", tmp_path / "cache").open()
    return tmp_path / "m"


def _of(mirror: Path, text: str) -> list[Suggestion]:
    return suggest("mirror", mirror, mirror.parent / "cache", text)


def test_gene_is_completed_with_one_choice_per_accession(mirror: Path) -> None:
    first, second, third = _of(mirror, "eg")
    assert (first.text, first.kind, first.key, first.entries) == ("EGFR", "gene", "P00533", 2)
    assert {second.key, third.key} == {"Q01279", "Q9GZT9"}


def test_word_within_a_name_is_completed(mirror: Path) -> None:
    assert [name.key for name in _of(mirror, "growth fac")] == ["P00533", "Q01279"]


def test_peptide_is_not_suggested(mirror: Path) -> None:
    assert _of(mirror, "egp") == _of(mirror, "egg") == []


@pytest.mark.parametrize("text", ["", "e", "%", "_g", '"*', "eg%", "\x00x", "e" * 4000])
def test_odd_text_completes_to_nothing(mirror: Path, text: str) -> None:
    assert _of(mirror, text) == []


def test_folder_without_index_completes_nothing(tmp_path: Path) -> None:
    assert suggest("archive", None, tmp_path, "brom") == []
    assert list(tmp_path.iterdir()) == []


def test_ligand_of_the_archive_is_completed_by_each_of_its_names(tmp_path: Path) -> None:
    MirrorSource(ARCHIVE, tmp_path, kind="archive").open()
    for text in ("zyb", "4-fluoro", "fluorobenz"):
        (name,) = suggest("archive", None, tmp_path, text)
        assert (name.key, name.says, name.kind, name.entries) == ("ZYB", "4-FLUOROBENZAMIDOXIME", "ligand", 1)


def test_one_request_to_rcsb_suggests_names_of_all_kinds(standin: StandIn, tmp_path: Path) -> None:
    names = suggest("rcsb", None, tmp_path, "egf")
    assert [(name.text, name.kind, name.entries) for name in names] == [("EGFR", "gene", None)]
    assert suggest("rcsb", None, tmp_path, "nosuchname") == []
    assert standin.count("suggest") == len(standin.seen) == 2


@pytest.mark.parametrize("kind", ["refuse", "cut", "html"])
def test_failed_request_to_rcsb_suggests_nothing_and_is_not_repeated(
    standin: StandIn, tmp_path: Path, kind: str
) -> None:
    standin.fault("suggest", kind, times=2)
    assert suggest("rcsb", None, tmp_path, "egf") == []
    assert standin.count("suggest") == 1
