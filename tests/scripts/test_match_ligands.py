"""The ligands of the embedded archive as molecules, and the effect of one bad ligand on its shard."""

import logging
import shutil
from pathlib import Path

import pytest

from tests.tools.cleaning import clean_file
from tests.tools.components import component_of, ideal_instance
from tests.tools.parts import instances_of, put, run_step
from tethermap.base.records import part, read_records
from tethermap.components.index import ComponentIndex
from tethermap.components.user import UserComponentError
from tethermap.entry.reader import EntryError
from tethermap.instance.model import Instance
from tethermap.instance.store import json_line
from tethermap.matching import build
from tethermap.molecule.record import LigandMolecule
from tethermap.molecule.store import molecule_of_record
from tethermap.run.progress import ProgressReader
from tethermap.steps import molecules


@pytest.fixture(scope="module")
def shard(archive: Path, index: ComponentIndex, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Instances of the embedded archive, as clean_complexes hands them on."""
    folder = tmp_path_factory.mktemp("shard")
    kept: list[Instance] = []
    for path in sorted(archive.glob("*.gz")):
        try:
            _, cleaned = clean_file(path, index.get)
        except EntryError:
            continue
        kept += [one.instance for one in cleaned.kept]
    _write(folder, kept)
    return folder


def _write(folder: Path, kept: list[Instance]) -> None:
    put(folder, "0", "clean_complexes/instances", b"".join(map(json_line, kept)))


def _run(shard: Path, job: Path, user: Path | None = None) -> None:
    if shard != job:
        shutil.copytree(shard, job, dirs_exist_ok=True)
    components = {"kind": "archive", "own_components": [str(user)] if user else []}
    run_step("match_ligands", job, settings={"components": components, "cache_dir": None})


def _molecules(job: Path) -> list[LigandMolecule]:
    return list(map(molecule_of_record, read_records(part(job, "0", "match_ligands/molecules"))))


@pytest.fixture(scope="module")
def job(shard: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("job")
    _run(shard, folder)
    return folder


def test_each_instance_has_its_molecule(job: Path) -> None:
    instances, records = instances_of(job), _molecules(job)
    assert [record.stem for record in records] == [instance.stem for instance in instances]
    assert {"1hpv_A_478_200", "4cup_A_ZYB_2971", "1gbt_A_GBS_704"} <= {record.stem for record in records}


def test_every_observed_atom_is_in_the_molecule_at_its_place(job: Path) -> None:
    for instance, record in zip(instances_of(job), _molecules(job), strict=True):
        assert sorted(record.atom_index.tolist()) == instance.atoms.heavy.tolist()
        elements = [atom.GetSymbol() for atom in record.mol.GetAtoms()][: record.n_heavy]
        assert elements == [instance.atoms.element[i] for i in record.atom_index.tolist()]
        positions = record.mol.GetConformer().GetPositions()[: record.n_heavy]
        assert (positions == instance.atoms.xyz[record.atom_index]).all()


def test_progress_counts_entries(job: Path) -> None:
    assert ProgressReader(job).read().passed == {"match_ligands": len({one.entry_id for one in instances_of(job)})}


def test_one_bad_ligand_does_not_sink_its_shard(
    shard: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def build_ligand(instance: Instance, *arguments: object) -> object:
        if instance.name.comp_id == "GBS":
            raise RuntimeError("Pre-condition Violation")
        return build.build_ligand(instance, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(molecules, "build_ligand", build_ligand)
    with caplog.at_level(logging.ERROR):
        _run(shard, tmp_path)
    records = {record.stem: record for record in _molecules(tmp_path)}
    assert "1gbt_A_GBS_704" not in records
    assert records["1hpv_A_478_200"].sanitised
    assert "1gbt_A_GBS_704" in caplog.text
    assert "Pre-condition Violation" in caplog.text


def test_users_definition_is_used_for_an_unknown_code(tmp_path: Path) -> None:
    ethanol = component_of(
        "QZZ9",
        [("A", "C", (0, 0, 0)), ("B", "C", (1.53, 0, 0)), ("X", "O", (2.1, 1.3, 0))],
        [("A", "B", 1), ("B", "X", 1)],
    )
    _write(tmp_path, [ideal_instance(ethanol)])
    (tmp_path / "mine.csv").write_text("QZZ9,CCO\n")
    _run(tmp_path, tmp_path, tmp_path / "mine.csv")
    (record,) = _molecules(tmp_path)
    assert (record.bond_source, record.observed_smiles) == ("user", "CCO")
    (tmp_path / "mine.csv").write_text("QZZ9,not a smiles\n")
    with pytest.raises(UserComponentError, match=r"mine\.csv: line 1"):
        _run(tmp_path, tmp_path, tmp_path / "mine.csv")
