import csv
from itertools import groupby
from pathlib import Path

import pytest

from tests.tools.parts import put_rows, rows_of_part
from tests.tools.small_job import SmallJob, small_job
from tethermap.base import layout, tables
from tethermap.base.tables import RESULT_TABLES, Value

MERGED = [table for table in RESULT_TABLES if table is not tables.SERIES]
STEMS = ["1abc_A_LIG_9", "1abc_A_LIG_60", "1abc_A_LIG_60A", "2abc_B_017_-3", "3abc_a_A1BCD_1"]


def built(job: SmallJob) -> SmallJob:
    return job.run("build_tables")


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> SmallJob:
    return built(small_job(tmp_path_factory.mktemp("job"), n_shards=2))


def rows(job: SmallJob, table: tables.Table) -> list[dict[str, Value]]:
    return list(tables.read_table(job.path / table.path, table))


def test_every_table_has_the_columns_of_the_contract(job: SmallJob) -> None:
    for table in MERGED:
        with (job.path / table.path).open(encoding="utf-8", newline="") as stream:
            assert tuple(next(csv.reader(stream))) == table.usual.names
    assert not (job.path / layout.AFFINITY).exists()


SORTED = [tables.RESULTS_TABLE, tables.SASA_SUMMARY, tables.CONTACTS, tables.EXIT_VECTORS]


@pytest.mark.parametrize("table", SORTED, ids=lambda table: table.path)
def test_instances_are_sorted_by_entry_chain_ligand_and_residue_number(job: SmallJob, table: tables.Table) -> None:
    assert [stem for stem, _ in groupby(rows(job, table), lambda row: row["stem"])] == STEMS


@pytest.mark.parametrize("table", [tables.SASA_ATOMS, tables.LIGAND_MCS_MAP], ids=lambda table: table.path)
def test_atoms_of_an_instance_stay_together_in_sdf_order(job: SmallJob, table: tables.Table) -> None:
    found = [(row["stem"], row["sdf_index"]) for row in rows(job, table)]
    assert found == [(stem, k) for stem in STEMS for k in range(3 if stem[0] != "1" else 2)]


def test_codes_and_residues_that_look_like_numbers_stay_text(job: SmallJob) -> None:
    text = (job.path / layout.RESULTS_DISPLAY).read_text(encoding="utf-8")
    assert "2abc,B,017,-3,CCO" in text


def test_results_join_exposure_chemistry_files_and_series(job: SmallJob) -> None:
    row = rows(job, tables.RESULTS_TABLE)[3]
    files = {"sdf_path": "TARGET_RESULTS/MCS_Output/MCS_SDF/2abc_B_017_-3.sdf", "sdf_available": True, "cif_path": ""}
    area = rows(job, tables.SASA_SUMMARY)[3]["SASA_in_complex_A2"]
    assert row.items() >= {"SASA_in_complex_A2": area, "bond_source": "dictionary", "series": "S001", **files}.items()


def test_the_map_gives_each_atom_its_place_in_the_core(job: SmallJob) -> None:
    atoms = rows(job, tables.LIGAND_MCS_MAP)[-3:]
    assert [(row["in_core"], row["core_index"]) for row in atoms] == [(True, 1), (True, 0), (False, None)]
    assert [row["atom_id"] for row in atoms] == [101, 102, 103]


def test_entries_that_the_search_rejected_have_a_row(job: SmallJob) -> None:
    status = {row["pdb_id"]: row for row in rows(job, tables.ENTRY_STATUS)}
    assert list(status) == ["1abc", "2abc", "3abc", "9xyz"]
    found = [status["9xyz"][name] for name in ("reason", "kept", "source")]
    assert found == ["cut_by_max_entries", False, "archive"]


def test_the_combined_sdf_contains_all_molecules_in_the_order_of_the_tables(job: SmallJob) -> None:
    records = (job.path / layout.LIGANDS_SDF).read_text(encoding="utf-8").split("$$$$\n")[:-1]
    assert [record.partition("\n")[0] for record in records] == STEMS


def test_nothing_kept_gives_tables_of_headers_and_all_reasons(tmp_path: Path) -> None:
    empty = built(small_job(tmp_path, entries=()))
    assert {len(rows(empty, table)) for table in MERGED if table is not tables.ENTRY_STATUS} == {0}
    assert [row["pdb_id"] for row in rows(empty, tables.ENTRY_STATUS)] == ["9xyz"]
    assert (tmp_path / layout.LIGANDS_SDF).read_bytes() == b""


def test_instances_and_molecules_out_of_step_are_an_error(tmp_path: Path) -> None:
    job = small_job(tmp_path)
    put_rows(job.path, "0", "measure_sasa/sasa_summary", rows_of_part(job.path, "0", "measure_sasa/sasa_summary")[::-1])
    with pytest.raises(ValueError, match="must be one instance"):
        built(job)
