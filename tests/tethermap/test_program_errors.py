"""An error of the program in one ligand or entry: the others are complete, and the job completes."""

import importlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rdkit import Chem

from tests.tools.runs import ROOT
from tethermap.base import layout, tables
from tethermap.base.config import resolve
from tethermap.base.tables import Row, split_cell
from tethermap.run_job import run_job

EXAMPLE = ROOT / "data" / "examples" / "exam4cup" / "TARGET_RESULTS"
STEM = "4cup_A_ZYB_2971"
ENTRIES = ("one", "three", "two")
LIGANDS = ("two_L_LIG_1", "two_L_LIG_2", "two_L_LIG_3")
VICTIM = LIGANDS[1]


@dataclass(frozen=True)
class Plant:
    """Place of a planted error: a function by its module, or a method, and the step that its row names."""

    step: str
    where: str

    def __str__(self) -> str:
        return f"{self.step}-{self.where.rpartition('.')[2]}"


def planted(**functions: str) -> list[Plant]:
    """Return the places in functions of `tethermap`, by step."""
    return [Plant(step, f"tethermap.{where}") for step, names in functions.items() for where in names.split()]


IN_LIGAND = planted(
    clean_complexes="complex.clean.describe steps.cleaning.json_line",
    match_ligands="steps.molecules.build_ligand steps.molecules.packed_molecule",
    measure_sasa="steps.measuring.summary_row steps.measuring.exposed_svg steps.measuring.exit_rows"
    " steps.measuring.pymol_script",
    write_protac_inputs="extras.protac.inputs.exits_json",
    check_results="steps.checks.check_ligand",
    find_series="series.write.molecule_of_record",
    find_cores="series.cores._metadata series.cores._member_legend",
    build_tables="results.write.result_row results.write.copy_exits",
    finish_job="report.content._line results.finish._reasons",
)
IN_ENTRY = planted(
    search_entries="sources.selection.rejection sources.selection._row sources.own.prepare._made",
    download_entries="sources.files.FilesSource.fetch steps.download_entries.structure_row",
    clean_complexes="steps.cleaning.read_entry steps.cleaning.clean_entry steps.cleaning._report",
    match_ligands="steps.molecules.match_entry",
    measure_sasa="steps.measuring.LigandMeasurer.measure",
    check_results="steps.checks.check_entry",
    build_tables="results.write.unselected_entry_row",
    finish_job="report.left_out._entry_item results.finish._reasons",
)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three structures of one protein, each with a separate ligand file, the file named two with three ligands."""
    folder = tmp_path_factory.mktemp("models")
    lines = (EXAMPLE / "WAR_PDB" / f"{STEM}.pdb").read_text(encoding="utf-8").splitlines(keepends=True)
    protein = "".join(line for line in lines if not line.startswith(("HETATM", "CONECT")))
    ligand = Chem.MolFromMolFile(str(EXAMPLE / "MCS_Output" / "MCS_SDF" / f"{STEM}.sdf"))
    others = [Chem.Mol(ligand), Chem.Mol(ligand)]
    for other, symbol, number in zip(others, ("O", "F"), (16, 17), strict=True):
        next(atom for atom in other.GetAtoms() if atom.GetSymbol() == symbol).SetAtomicNum(number)
    for name in ENTRIES:
        (folder / f"{name}.pdb").write_text(protein, encoding="utf-8")
        molecules = (ligand, *others) if name == "two" else (ligand,)
        blocks = [Chem.MolToMolBlock(mol) for mol in molecules]
        (folder / f"{name}_ligand.sdf").write_text("".join(f"{block}$$$$\n" for block in blocks), encoding="utf-8")
    return folder


def settings_of(models: Path, job: Path, query: str = "") -> dict[str, Any]:
    given = {"target_name": "BAZ2B", "search_query": query, "source": {"kind": "files", "files": str(models)}}
    return resolve({**given, "cache_dir": str(job.parent / "cache")})


def run(models: Path, job: Path, *, query: str = "", inputs: bool = False) -> Path:
    run_job(job, resolve({**settings_of(models, job, query), "protac_inputs": {"exits": 2 if inputs else 0}}))
    return job


@pytest.fixture(scope="module")
def sound(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(models, tmp_path_factory.mktemp("sound") / "job")


def mentions(value: Any, name: str) -> bool:
    """Return whether a value is about a ligand or an entry, by its stem, id or path."""
    if isinstance(value, bytes):
        return f'"{name}"'.encode() in value
    if isinstance(value, str | Path):
        return name in (str(value), Path(value).stem)
    if isinstance(value, Mapping):
        return any(mentions(cell, name) for cell in value.values())
    if isinstance(value, np.ndarray):
        return False
    if isinstance(value, Sequence):
        return any(mentions(item, name) for item in value)
    told = ("stem", "entry_id", "name", "instance", "fullest", "mol", "description", "place")
    return any(mentions(part, name) for key in told if (part := getattr(value, key, None)) is not value and part)


def plant(monkeypatch: pytest.MonkeyPatch, where: str, name: str, error: Callable[[], Exception]) -> None:
    """Make a function fail if its arguments mention a ligand or an entry."""
    owner, _, attribute = where.rpartition(".")
    module, _, last = owner.rpartition(".")
    place: Any = (
        getattr(importlib.import_module(module), last) if last[:1].isupper() else importlib.import_module(owner)
    )
    sound = getattr(place, attribute)

    def planted(*arguments: Any, **named: Any) -> Any:
        arguments = tuple(list(one) if isinstance(one, Iterator) else one for one in arguments)
        if any(mentions(one, name) for one in (*arguments, *named.values())):
            raise error()
        return sound(*arguments, **named)

    monkeypatch.setattr(place, attribute, planted)


def rows(job: Path, table: tables.Table) -> list[Row]:
    return list(tables.read_table(job / table.path, table))


def results_of(job: Path, but_for: Iterable[str]) -> dict[str, tuple[Row, ...]]:
    """Return the cells of a job for each ligand outside a set, without those about the series of all."""
    alone = {"series"}
    found: dict[str, list[Row]] = {}
    for table in (tables.RESULTS_TABLE, tables.SASA_SUMMARY, tables.SASA_ATOMS, tables.EXIT_VECTORS, tables.CONTACTS):
        for row in rows(job, table):
            if (stem := str(row["stem"])) not in set(but_for):
                found.setdefault(stem, []).append({key: value for key, value in row.items() if key not in alone})
    for row in rows(job, tables.RESULTS_TABLE):
        for column in ("pdb_path", "sdf_path", "svg_plain_path", "svg_exposed_path", "svg_exits_path"):
            assert (job / str(row[column])).is_file()
    return {stem: tuple(own) for stem, own in found.items()}


def program_errors(job: Path) -> dict[str, str]:
    """Return the cells of the status tables about errors, by stem, by ligand and chain, or by entry."""
    told = {}
    for table in (tables.ENTRY_STATUS, tables.LIGAND_STATUS):
        for row in rows(job, table):
            if row["reason"] == "program_error":
                told[str(row.get("stem") or row.get("residue") or row["pdb_id"])] = str(row["value"])
    return told


def check_others(job: Path, sound: Path, lost: set[str]) -> None:
    manifest = json.loads((job / layout.MANIFEST).read_text(encoding="utf-8"))
    listed = {row["path"] for row in manifest["files"]}
    there = {str(path.relative_to(job)) for path in (job / layout.RESULTS).rglob("*") if path.is_file()}
    assert there <= listed
    assert results_of(job, lost) == results_of(sound, lost)
    failed = {name for name, check in manifest["self_check"]["checks"].items() if check["failed"]}
    assert failed == {"processed"}


@pytest.mark.parametrize("where", IN_LIGAND, ids=str)
def test_error_in_one_of_three_ligands_does_not_affect_the_others(
    where: Plant, models: Path, sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = (KeyError, FileNotFoundError, Chem.KekulizeException)[IN_LIGAND.index(where) % 3]
    assert {row["stem"] for row in rows(sound, tables.RESULTS_TABLE)} >= set(LIGANDS)
    plant(monkeypatch, where.where, VICTIM, lambda: error("planted"))
    job = run(models, tmp_path / "job", inputs=where.step == "write_protac_inputs")
    told = program_errors(job)
    assert told in ({VICTIM: f"{where.step}: {error.__name__}"}, {"2": f"{where.step}: {error.__name__}"})
    check_others(job, sound, {VICTIM})
    log = (job / layout.JOB_LOG).read_text(encoding="utf-8").splitlines()
    assert len([line for line in log if f"an error of this program ({where.step}: {error.__name__})" in line]) == 1


@pytest.mark.parametrize("where", IN_ENTRY, ids=str)
def test_error_in_one_of_three_entries_does_not_affect_the_others(
    where: Plant, models: Path, sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, where.where, "one", lambda: ArithmeticError("planted"))
    left_out = where.where.rpartition(".")[2] in ("unselected_entry_row", "_entry_item")
    job = run(models, tmp_path / "job", query="two OR three" if left_out else "")
    assert f"{where.step}: ArithmeticError" in program_errors(job).values()
    assert not {"two", "three"} & program_errors(job).keys()
    check_others(job, sound, {"one_L_LIG_1"})


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt, MemoryError, lambda: OSError(28, "No space left on device", "x")],
    ids=["interrupted", "memory", "disk"],
)  # fmt: skip
@pytest.mark.parametrize("where", [IN_LIGAND[2], IN_LIGAND[11], IN_LIGAND[13], IN_LIGAND[15], IN_ENTRY[5]], ids=str)
def test_error_that_every_ligand_would_meet_ends_the_step(
    where: Plant, error: Callable[[], Exception], models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, where.where, "two" if where in IN_ENTRY else VICTIM, error)
    with pytest.raises((KeyboardInterrupt, MemoryError, OSError)):
        run(models, tmp_path / "job")
    assert not (tmp_path / "job" / layout.MANIFEST).exists()


def test_atom_that_moves_by_a_hundredth_marks_only_its_instance(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tethermap.steps.cleaning import EntryCleaner

    write = EntryCleaner._write_kept

    def moved(self: EntryCleaner, kept: Any) -> None:
        if kept.instance.stem == VICTIM:
            lines = kept.cleaned.pdb.splitlines(keepends=True)
            place = next(k for k, line in enumerate(lines) if line.startswith("HETATM"))
            x = float(lines[place][30:38]) + 0.01
            lines[place] = f"{lines[place][:30]}{x:8.3f}{lines[place][38:]}"
            object.__setattr__(kept.cleaned, "pdb", "".join(lines))
        write(self, kept)

    monkeypatch.setattr(EntryCleaner, "_write_kept", moved)
    job = run(models, tmp_path / "job")
    marked = [row["stem"] for row in rows(job, tables.RESULTS_TABLE) if "checks_failed" in split_cell(row["flags"])]
    assert marked == [VICTIM]
    failures = json.loads((job / layout.MANIFEST).read_text())["self_check"]["failures"]
    assert {(row["stem"], row["check"]) for row in failures} >= {(VICTIM, "same_atoms")}
