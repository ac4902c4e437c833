"""Series of a small job: names, cores of instances, pictures, metadata."""

import dataclasses
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.tools.components import Known, ideal_instance
from tests.tools.parts import put_records, rows_of_part, run_step
from tethermap.base import layout
from tethermap.base.records import part
from tethermap.base.tables import LIGAND_METADATA, SERIES, Row
from tethermap.components.index import ComponentIndex
from tethermap.matching.build import build_ligand
from tethermap.molecule.record import LigandMolecule
from tethermap.molecule.store import packed_molecule

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def records(index: ComponentIndex, known: Known) -> list[LigandMolecule]:
    """Amprenavir twice, once incomplete, darunavir, caffeine, a metal cluster, a molecule that RDKit cannot read,
    histamine."""

    def record(comp_id: str, number: int, **options: object) -> LigandMolecule:
        made = build_ligand(ideal_instance(known(comp_id), **options), index)  # type: ignore[arg-type]
        return dataclasses.replace(made, stem=f"{number}abc_A_{comp_id}_1")

    first = record("478", 1)
    second = record("478", 2, omit=first.names[:3], turn=np.eye(3)[[1, 2, 0]])
    return [first, second, *(record(code, k) for k, code in enumerate(("017", "CFF", "SF4", "08T", "HSM"), 3))]


def run(job: Path, *shards: list[LigandMolecule]) -> Path:
    for number, shard in enumerate(shards):
        put_records(job, str(number), "match_ligands/molecules", map(packed_molecule, shard))
    names = [str(number) for number in range(len(shards))]
    run_step("find_series", job, names)
    for name in names:
        run_step("find_cores", job, [name])
    return job


@pytest.fixture(scope="module")
def folder(records: list[LigandMolecule], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(tmp_path_factory.mktemp("series"), records)


def _members(folder: Path) -> dict[str, dict[str, Any]]:
    texts = [part(folder, path.name, "find_cores/members").read_bytes() for path in layout.shard_folders(folder)]
    return {line["stem"]: line for text in texts for line in map(json.loads, text.splitlines())}


def _rows(folder: Path, name: str, *keys: str) -> list[Row]:
    """Return the rows of a table of all shards, sorted by columns."""
    shards = [path.name for path in layout.shard_folders(folder)]
    rows = [row for shard in shards for row in rows_of_part(folder, shard, f"find_cores/{name}")]
    return sorted(rows, key=lambda row: [str(row[key]) for key in keys])


def _series(folder: Path) -> list[Row]:
    return _rows(folder, "series", "series")


def _ligands(folder: Path) -> list[Row]:
    return _rows(folder, "ligands", "Ligand")


def test_related_ligands_are_the_first_series(folder: Path) -> None:
    rows = _series(folder)
    assert list(rows[0]) == list(SERIES.names)
    assert rows[0]["series"] == "S001"
    assert rows[0]["members"] == "478;017"
    assert (rows[0]["n_components"], rows[0]["n_instances"], rows[0]["timed_out"]) == (2, 3, False)
    assert {row["members"] for row in rows[1:]} == {"CFF", "SF4", "HSM"}


def test_core_of_an_instance_names_the_same_atoms_in_each(folder: Path, records: list[LigandMolecule]) -> None:
    """The incomplete instance has -1 where an atom of the core was not observed."""
    members = _members(folder)
    whole, part = records[0], records[1]
    cores = [members[record.stem]["core"] for record in (whole, part)]
    assert len(cores[0]) == len(cores[1]) >= 25
    for mine, theirs in zip(*cores, strict=True):
        if theirs == -1:
            assert whole.names[mine] in part.atoms_missing
        else:
            assert whole.names[mine] == part.names[theirs]
    assert -1 in cores[1]
    assert -1 not in cores[0]


def test_core_has_the_same_elements_in_every_ligand(folder: Path, records: list[LigandMolecule]) -> None:
    members = _members(folder)
    first, other = (
        [record.mol.GetAtomWithIdx(k).GetSymbol() for k in members[record.stem]["core"]]
        for record in (records[0], records[2])
    )
    assert first == other


def test_unreadable_molecule_is_in_no_series_but_in_the_metadata(folder: Path, records: list[LigandMolecule]) -> None:
    assert records[5].stem not in _members(folder)
    row = next(row for row in _ligands(folder) if row["Ligand"] == "08T")
    assert row["Formula"]
    assert row["MW"] is None


def test_pictures_are_drawn_for_the_core_and_each_ligand(folder: Path) -> None:
    names = {path.stem for path in (folder / layout.SERIES_FOLDER).iterdir()}
    assert {"S001", "S001_478", "S001_017"} <= names
    for path in (folder / layout.SERIES_FOLDER).iterdir():
        ElementTree.parse(path)


def _core_places(path: Path) -> dict[str, tuple[float, float]]:
    circles = (circle.attrib for circle in ElementTree.parse(path).getroot().iter(f"{SVG}circle"))
    return {one["data-core-index"]: (float(one["cx"]), float(one["cy"])) for one in circles if "data-core-index" in one}


def test_ligands_of_a_series_are_aligned_on_the_core(folder: Path) -> None:
    one, two = (_core_places(folder / layout.SERIES_FOLDER / f"S001_{code}.svg") for code in ("478", "017"))
    assert one.keys() == two.keys()
    shift = np.array([np.subtract(one[key], two[key]) for key in one])
    assert np.abs(shift - shift[0]).max() < 1.0  # pixels


def test_metadata_has_no_column_that_is_empty_for_all(folder: Path) -> None:
    rows = _ligands(folder)
    assert [column for column in LIGAND_METADATA.names if {row[column] for row in rows} <= {"", None}] == []
    (amprenavir,) = (row for row in rows if row["Ligand"] == "478")
    assert str(amprenavir["Name"]).startswith(
        "{3-[(4-AMINO-BENZENESULFONYL)-ISOBUTYL-AMINO]-1-BENZYL-2-HYDROXY-PROPYL}"
    )
    assert (amprenavir["Formula"], amprenavir["Type"]) == ("C25 H35 N3 O6 S", "NON-POLYMER")
    assert (amprenavir["Instances"], amprenavir["source"]) == (2, "dictionary")


def test_shards_and_their_order_make_no_difference(folder: Path, records: list[LigandMolecule], tmp_path: Path) -> None:
    many = run(tmp_path, records[3:], [], records[2::-1])
    for read in (_ligands, _series, _members):
        assert read(folder) == read(many)
    pictures = [{p.name: p.read_bytes() for p in (job / layout.SERIES_FOLDER).iterdir()} for job in (folder, many)]
    assert pictures[0] == pictures[1]
