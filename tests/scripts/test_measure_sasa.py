"""The exits of a shard, from the files that earlier steps leave."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from scripts.rank_exits import main
from tests.tools.bench_exits import exposure_of
from tests.tools.cleaning import clean_file
from tethermap.base import layout
from tethermap.base.atomic import write_text
from tethermap.base.records import record_file
from tethermap.base.tables import EXIT_VECTORS, FILES, SASA_ATOMS, Value, read_table, write_table
from tethermap.components.index import ComponentIndex
from tethermap.exposure.method import Method
from tethermap.exposure.rows import atom_rows
from tethermap.instance.backbone import packed_backbone
from tethermap.instance.store import instance_writer, packed_surroundings
from tethermap.matching.build import build_ligand
from tethermap.molecule.store import write_molecules


def shard(folder: Path, archive: Path, index: ComponentIndex, entries: list[str]) -> dict[str, Any]:
    """Write what a shard of some entries of the archive has before this step, and return the arguments of `main`."""
    kept = [one for e in entries for one in clean_file(next(archive.glob(f"{e}.*")), index.get)[1].kept]
    molecules = [build_ligand(one.instance, index) for one in kept]
    with (
        instance_writer(folder / "instances.jsonl", folder / "neighbourhoods.bin") as write,
        record_file(folder / "surroundings.bin") as surroundings,
        record_file(folder / "backbones.bin") as backbones,
    ):
        for one in kept:
            write(one.instance, one.neighbourhood)
            surroundings.write(packed_surroundings(one.instance.stem, one.surroundings))
            backbones.write(packed_backbone(one.instance.stem, one.backbone))
            write_text(folder / layout.war_pdb(one.instance.stem), one.cleaned.pdb or "")
    write_molecules(folder / "molecules.bin", molecules)
    rows = [
        row
        for one, mol in zip(kept, molecules, strict=True)
        for row in atom_rows("BAZ2B", one.instance, mol, exposure_of(one, mol, index), mol.layout[:, 0])
    ]
    write_table(folder / "sasa_atoms.csv", SASA_ATOMS, rows)
    return {
        "instances": folder / "instances.jsonl",
        "neighbourhoods": folder / "neighbourhoods.bin",
        "surroundings": folder / "surroundings.bin",
        "backbones": folder / "backbones.bin",
        "molecules": folder / "molecules.bin",
        "sasa_atoms": folder / "sasa_atoms.csv",
        "exits": folder / "exits.csv",
        "geometry": folder / "geometry.csv",
        "bridging": folder / "bridging.jsonl",
        "observed": folder / "observed.csv",
        "files": folder / "exit_files.csv",
        "job": folder,
        "progress": folder / "progress.jsonl",
        "target_name": "BAZ2B",
        "method": Method(1.4, 100),
        "find": index.get,
    }


@pytest.fixture(scope="module")
def index(component_index: Path) -> ComponentIndex:
    return ComponentIndex(component_index)


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory, archive: Path, index: ComponentIndex) -> list[dict[str, Value]]:
    arguments = shard(tmp_path_factory.mktemp("shard"), archive, index, ["4cup", "1hpv"])
    main(**arguments)
    return list(read_table(arguments["exits"], EXIT_VECTORS))


def test_instances_stay_in_order_and_their_ranked_candidates_come_first(rows: list[dict[str, Value]]) -> None:
    stems = list(dict.fromkeys(row["stem"] for row in rows))
    assert stems == ["4cup_A_ZYB_2971", "1hpv_A_478_200"]
    for stem in stems:
        ranks = [row["rank"] for row in rows if row["stem"] == stem]
        count = sum(rank is not None for rank in ranks)
        assert ranks == [*range(1, count + 1), *[None] * (len(ranks) - count)]


def test_ligand_in_the_middle_of_a_dimer_is_more_closed_than_one_in_an_open_pocket(
    rows: list[dict[str, Value]],
) -> None:
    best = {row["pdb_id"]: row for row in rows if row["rank"] == 1}
    ways = {
        entry: max(float(row["F"] or 0) for row in rows if row["pdb_id"] == entry and row["rank"]) for entry in best
    }
    assert ways["1hpv"] < ways["4cup"]


def test_anchor_is_the_atom_of_the_sdf(rows: list[dict[str, Value]], archive: Path, index: ComponentIndex) -> None:
    kept = clean_file(next(archive.glob("4cup.*")), index.get)[1].kept[0]
    names = build_ligand(kept.instance, index).names
    own = [row for row in rows if row["pdb_id"] == "4cup"]
    assert [row["anchor_atom"] for row in own] == [names[int(row["sdf_index"] or 0)] for row in own]


def test_each_ligand_has_its_sdf_and_its_depictions_listed(
    tmp_path: Path, archive: Path, index: ComponentIndex
) -> None:
    arguments = shard(tmp_path, archive, index, ["4cup"])
    main(**arguments)
    stem = "4cup_A_ZYB_2971"
    paths = [layout.ligand_sdf(stem), *(layout.ligand_svg(stem, style) for style in ("plain", "exits"))]
    paths += [layout.viewer_script(stem, extension) for extension in ("pml", "cxc")]
    listed = {str(row["path"]): row["sha256"] for row in read_table(arguments["files"], FILES)}
    assert list(listed) == paths
    assert {path: hashlib.sha256((tmp_path / path).read_bytes()).hexdigest() for path in listed} == listed


def test_shard_without_ligands_gives_an_empty_table(tmp_path: Path, archive: Path, index: ComponentIndex) -> None:
    arguments = shard(tmp_path, archive, index, [])
    main(**arguments)
    assert list(read_table(arguments["exits"], EXIT_VECTORS)) == []


def test_files_of_different_instances_are_refused(tmp_path: Path, archive: Path, index: ComponentIndex) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    arguments = shard(first, archive, index, ["4cup"])
    other = shard(second, archive, index, ["1hpv"])
    with pytest.raises(ValueError, match="should be one instance"):
        main(**{**arguments, "sasa_atoms": other["sasa_atoms"]})
