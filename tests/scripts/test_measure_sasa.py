"""The exits of a shard, from the files that earlier steps leave."""

import hashlib
from pathlib import Path

import pytest

from tests.tools.cleaning import clean_file
from tests.tools.parts import put, put_ligands, rows_of_part, run_step
from tethermap.base import layout
from tethermap.base.records import part
from tethermap.base.tables import Row
from tethermap.components.index import ComponentIndex
from tethermap.matching.build import build_ligand

METHOD = {"probe_radius": 1.4, "slices": 100, "engine": "native"}


def measured(job: Path, archive: Path, index: ComponentIndex, entries: list[str]) -> list[Row]:
    """Measure a shard of the given entries of the archive; return the rows of its exits."""
    write_shard(job, archive, index, entries)
    settings = {"target_name": "BAZ2B", "sasa": METHOD, "components": {"kind": "archive"}, "cache_dir": None}
    run_step("measure_sasa", job, settings=settings)
    return rows_of_part(job, "0", "measure_sasa/exits")


def write_shard(job: Path, archive: Path, index: ComponentIndex, entries: list[str]) -> None:
    """Write the inputs of this step for a shard of the given entries of the archive."""
    kept = [one for e in entries for one in clean_file(next(archive.glob(f"{e}.*")), index.get)[1].kept]
    molecules = [build_ligand(one.instance, index) for one in kept]
    put_ligands(job, "0", [
        (one.instance, one.neighbourhood, one.surroundings, one.backbone, mol)
        for one, mol in zip(kept, molecules, strict=True)
    ])  # fmt: skip


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory, archive: Path, index: ComponentIndex) -> list[Row]:
    return measured(tmp_path_factory.mktemp("shard"), archive, index, ["4cup", "1hpv"])


def test_instances_stay_in_order_and_their_ranked_candidates_come_first(rows: list[Row]) -> None:
    stems = list(dict.fromkeys(row["stem"] for row in rows))
    assert stems == ["4cup_A_ZYB_2971", "1hpv_A_478_200"]
    for stem in stems:
        ranks = [row["rank"] for row in rows if row["stem"] == stem]
        count = sum(rank is not None for rank in ranks)
        assert ranks == [*range(1, count + 1), *[None] * (len(ranks) - count)]


def test_ligand_in_the_middle_of_a_dimer_is_more_closed_than_one_in_an_open_pocket(rows: list[Row]) -> None:
    best = {row["pdb_id"]: row for row in rows if row["rank"] == 1}
    ways = {
        entry: max(float(row["F"] or 0) for row in rows if row["pdb_id"] == entry and row["rank"]) for entry in best
    }
    assert ways["1hpv"] < ways["4cup"]


def test_anchor_is_the_atom_of_the_sdf(rows: list[Row], archive: Path, index: ComponentIndex) -> None:
    kept = clean_file(next(archive.glob("4cup.*")), index.get)[1].kept[0]
    names = build_ligand(kept.instance, index).names
    own = [row for row in rows if row["pdb_id"] == "4cup"]
    assert [row["anchor_atom"] for row in own] == [names[int(row["sdf_index"] or 0)] for row in own]


def test_each_ligand_has_its_sdf_and_its_depictions_listed(
    tmp_path: Path, archive: Path, index: ComponentIndex
) -> None:
    measured(tmp_path, archive, index, ["4cup"])
    stem = "4cup_A_ZYB_2971"
    paths = [layout.ligand_svg(stem, "exposed"), layout.ligand_sdf(stem)]
    paths += [layout.ligand_svg(stem, style) for style in ("plain", "exits")]
    paths += [layout.war_pdb(stem, extension) for extension in ("pml", "cxc")]
    listed = {str(row["path"]): row["sha256"] for row in rows_of_part(tmp_path, "0", "measure_sasa/files")}
    assert list(listed) == paths
    assert {path: hashlib.sha256((tmp_path / path).read_bytes()).hexdigest() for path in listed} == listed


def test_files_of_different_instances_are_refused(tmp_path: Path, archive: Path, index: ComponentIndex) -> None:
    write_shard(tmp_path / "other", archive, index, ["1hpv"])
    write_shard(tmp_path, archive, index, ["4cup"])
    for name in ("neighbourhoods", "surroundings", "backbones"):
        other = part(tmp_path / "other", "0", f"clean_complexes/{name}").read_bytes()
        put(tmp_path, "0", f"clean_complexes/{name}", other)
    with pytest.raises(ValueError, match="must be one instance"):
        run_step("measure_sasa", tmp_path)
