"""One job over the user's own files, most of them bad: each ends as a status row, the good one as results."""

import gzip
from pathlib import Path

import pytest

from tests.tools.runs import LOCAL, JobRun, Row, job_of_files, rows_of, run_job
from tests.tools.small_entry import atom_line, benzene, strand, write_entry
from tethermap.base import layout

LIGAND_PLACE = (10.0, 0.0, 5.0)


def ring(code: str = "DRG", place: tuple[float, float, float] = LIGAND_PLACE) -> list[str]:
    """Return the lines of a ring with a component code."""
    return [line.replace("BNZ", code) for line in benzene("A", 99, place)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, archive: Path) -> Path:
    """Files of all sorts, named for their faults."""
    base = tmp_path_factory.mktemp("files")
    good = gzip.decompress((archive / "4cup.cif.gz").read_bytes())
    contents = {
        "good.cif": good,
        "empty.cif": b"",
        "page.cif": b"<!DOCTYPE html><html><body>404 Not Found</body></html>",
        "cut.cif.gz": gzip.compress(good)[:20_000],
        "cutrow.cif": good[: len(good) // 2].rsplit(b" ", 3)[0],
        "noatoms.cif": good[: good.index(b"_atom_site.group_PDB") - 7],
        "words.pdb": b"this is no structure\n" * 10,
        "binary.pdb": bytes(range(256)) * 20,
    }
    for name, content in contents.items():
        (base / name).write_bytes(content)
    drug, zinc = ring(), atom_line(900, "ZN", "ZN", "A", 90, LIGAND_PLACE, element="ZN")
    parts: dict[str, list[list[str]]] = {
        "apo": [strand("A", 1)],
        "alone": [drug],
        "own": [strand("A", 1), drug],
        "unseen": [strand("A", 1), [line[:54] + "  0.00" + line[60:] for line in drug]],
        "twice": [strand("A", 1), [line.replace(" C6 ", " C1 ") for line in drug]],
        "far": [strand("A", 1), ring(place=(10.0, 0.0, 30.0))],
        "zinc": [strand("A", 1), [zinc]],
    }
    for name, lines in parts.items():
        write_entry(base, *lines).rename(base / f"{name}.pdb")
    return base


@pytest.fixture(scope="module")
def job(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> JobRun:
    """The job over all of them."""
    settings = job_of_files("our protein", folder) | {"cache_dir": str(tmp_path_factory.mktemp("cache"))}
    return run_job(tmp_path_factory.mktemp("job") / "job", settings, *LOCAL).checked()


def entry_row(job: JobRun, name: str) -> Row:
    (row,) = [row for row in rows_of(job.job, layout.ENTRY_STATUS) if row["pdb_id"] == name]
    return row


REASONS = {
    **dict.fromkeys(("good", "own", "twice", "unseen"), "kept"),
    **dict.fromkeys(("page", "words", "binary"), "file_not_structure"),
    **dict.fromkeys(("far", "zinc"), "no_instance_kept"),
    "empty": "file_empty",
    "cut": "file_truncated",
    "noatoms": "no_atoms",
    "apo": "no_ligand",
    "alone": "no_polymer",
}


@pytest.mark.parametrize(("name", "reason"), REASONS.items())
def test_each_file_has_a_status_row_with_its_reason(job: JobRun, name: str, reason: str) -> None:
    row = entry_row(job, name)
    assert row["reason"] == reason
    assert row["sentence"]


def test_file_cut_in_the_middle_of_a_row_is_never_taken_for_whole(job: JobRun) -> None:
    assert entry_row(job, "cutrow")["reason"] in {"file_truncated", "file_unreadable"}


@pytest.mark.parametrize(("name", "reason"), [("far", "far_from_target"), ("alone", "entry_rejected")])
def test_each_rejected_ligand_has_its_reason(job: JobRun, name: str, reason: str) -> None:
    rows = [row for row in rows_of(job.job, layout.LIGAND_STATUS) if row["pdb_id"] == name]
    assert [(row["ligand"], row["kept"], row["reason"]) for row in rows] == [("DRG", "False", reason)]


def test_ligand_of_unknown_code_is_accepted_with_perceived_bonds(job: JobRun) -> None:
    (row,) = [row for row in rows_of(job.job, layout.RESULTS_DISPLAY) if row["pdb_id"] == "own"]
    assert row["bond_source"] == "perceived"
    assert "perceived_bonds" in row["flags"]
    assert (job.job / row["sdf_path"]).is_file()


def test_only_the_good_files_have_results(job: JobRun) -> None:
    assert {row["pdb_id"] for row in rows_of(job.job, layout.RESULTS_DISPLAY)} == {"good", "own", "twice", "unseen"}


def test_users_own_component_gives_the_bonds(tmp_path: Path) -> None:
    """UNL is unknown, unless the user defines it."""
    for code in ("DRG", "UNL"):
        (tmp_path / code.lower()).mkdir()
        path = write_entry(tmp_path / code.lower(), strand("A", 1), ring(code))
        path.rename(path.with_name(f"{code.lower()}.pdb"))
    (tmp_path / "ligands.smi").write_text("DRG c1ccccc1\nUNL c1ccccc1\n", encoding="utf-8")
    folders = [tmp_path / "drg", tmp_path / "unl"]
    settings = job_of_files("our protein", *folders, components=str(tmp_path / "ligands.smi"))
    settings["cache_dir"] = str(tmp_path / "cache")
    rows = rows_of(run_job(tmp_path / "job", settings, *LOCAL).checked().job, layout.RESULTS_DISPLAY)
    assert [(row["Warhead"], row["bond_source"], row["SMILES"]) for row in rows] == [
        (code, "user", "c1ccccc1") for code in ("DRG", "UNL")
    ]
