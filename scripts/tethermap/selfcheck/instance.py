"""All checks of one instance: its files are read back and held against one another and the entry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tethermap.base import layout
from tethermap.base.arrays import FloatArray
from tethermap.base.contexts import EXPOSED_ABOVE
from tethermap.base.tables import Row
from tethermap.exposure.rows import SDF_LISTS
from tethermap.instance.model import Instance, Residue
from tethermap.selfcheck import compare
from tethermap.selfcheck.compare import DepositedMatch, NamedAtoms
from tethermap.selfcheck.complex_file import FileLigand, read_ligand, read_residues
from tethermap.selfcheck.deposited import DepositedAtom, ResidueKey
from tethermap.selfcheck.exits import exits_agree
from tethermap.selfcheck.outcome import CheckOutcome
from tethermap.selfcheck.protac_files import protac_inputs
from tethermap.selfcheck.sdf_file import SdfLigand, read_sdf


@dataclass(frozen=True, slots=True)
class InstanceFiles:
    """What there is of one instance.

    Parameters
    ----------
    instance : Instance
        Names of its residues and atoms.
    summary : Row
        Its row of Resolved_SASA_Summary.
    atoms : sequence of Row
        Its rows of Warhead_SASA_atoms, in SDF order.
    deposited : mapping
        Heavy atoms of the deposited entry by residue.
    files : mapping
        sha256 of every file of the shard by path, as its writer told it.
    on_disk : mapping
        The same as found on disk.
    """

    instance: Instance
    summary: Row
    atoms: Sequence[Row]
    exits: Sequence[Row]
    deposited: Mapping[ResidueKey, Sequence[DepositedAtom]]
    files: Mapping[str, str]
    on_disk: Mapping[str, str]


def check_instance(job: Path, results: InstanceFiles) -> Iterator[CheckOutcome]:
    """Yield the outcome of every check of one instance; a file that can't be read fails its checks."""
    yield _files(results)
    try:
        sdf = read_sdf(job / layout.ligand_sdf(results.instance.stem))
        part, twin = _complexes(job, results)
    except (OSError, RuntimeError, ValueError) as error:
        yield CheckOutcome("same_atoms", False, "", f"unreadable: {str(error)[:200]}")
        return
    yield _worst(
        [compare.same_atoms(part, sdf, _serials(results)), *(compare.same_twin(part, other) for other in twin)]
    )
    yield compare.nothing_else(part)
    yield from _against_deposited(results, sdf, part)
    yield compare.bonds_sane(sdf)
    yield compare.connected(sdf)
    yield compare.sasa_sums(results.summary, results.atoms, EXPOSED_ABOVE)
    yield compare.sasa_order(results.atoms)
    yield compare.sasa_lists(sdf, results.atoms, SDF_LISTS)
    yield exits_agree(results.exits, sdf, _text(job / layout.ligand_svg(results.instance.stem, "exits")))
    yield from protac_inputs(job, results.instance.stem, results.files, results.on_disk, sdf.xyz, _serials(results))


def _text(path: Path) -> str:
    """Return the text of a file, empty when it can't be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _files(results: InstanceFiles) -> CheckOutcome:
    """Tell files of the instance that are missing or not as they were written."""
    stem = results.instance.stem
    needed = [layout.ligand_sdf(stem), *(layout.ligand_svg(stem, style) for style in ("plain", "exposed", "exits"))]
    complexes = [layout.war_pdb(stem, extension) for extension in ("pdb", "cif")]
    needed += [path for path in complexes if path in results.files] or complexes[:1]
    missing = [path for path in needed if path not in results.on_disk or path not in results.files]
    changed = [path for path in needed if path not in missing and results.files[path] != results.on_disk[path]]
    words = [f"missing: {', '.join(missing)}"] if missing else []
    words += [f"changed: {', '.join(changed)}"] if changed else []
    return CheckOutcome("files", not words, str(len(missing) + len(changed)) if words else "", "; ".join(words))


def _complexes(job: Path, results: InstanceFiles) -> tuple[FileLigand, list[FileLigand]]:
    """Read the ligand from the complex and, when there are both, from the mmCIF twin of the PDB file."""
    pdb, cif = (layout.war_pdb(results.instance.stem, extension) for extension in ("pdb", "cif"))
    serials = frozenset(results.instance.atoms.serial.tolist()) - {0}
    if pdb not in results.files:
        return read_ligand(job / cif, serials), []
    part = read_ligand(job / pdb, serials)
    if cif not in results.files:
        return part, []
    residues = {(residue.auth_asym_id, residue.comp_id, residue.residue_id) for residue in results.instance.components}
    return part, [read_residues(job / cif, residues)]


def _serials(results: InstanceFiles) -> list[int]:
    return [int(row["atom_id"] or 0) for row in results.atoms]


def _worst(outcomes: Sequence[CheckOutcome]) -> CheckOutcome:
    """Return the first outcome that failed, or the first."""
    return next((outcome for outcome in outcomes if not outcome.passed), outcomes[0])


def _against_deposited(results: InstanceFiles, sdf: SdfLigand, part: FileLigand) -> Iterator[CheckOutcome]:
    """Compare coordinates and formula with the deposited entry."""
    matches = _match_components(results, part)
    problems = [match.problems for match in matches.values() if match.problems]
    yield CheckOutcome.of("deposited_atoms", problems)
    places = _by_serial(results.instance, part, matches)
    expected = np.array([places[serial] for serial in part.serial.tolist()]).reshape(-1, 3)
    yield compare.coordinates_agree("coordinates_complex", part.xyz, expected)
    expected = np.array([places.get(serial, compare.NOWHERE) for serial in _serials(results)]).reshape(-1, 3)
    yield compare.coordinates_agree("coordinates_sdf", sdf.xyz, expected)
    yield compare.same_formula(sdf, [element for match in matches.values() for element in match.elements])


def _match_components(results: InstanceFiles, part: FileLigand) -> dict[int, DepositedMatch]:
    """Find the atoms of each component of the ligand in the deposited entry."""
    component = _component_of(results.instance)
    owner = [component[serial] for serial in part.serial.tolist()]
    matches = {}
    for number, residue in enumerate(results.instance.components):
        members = [k for k, own in enumerate(owner) if own == number]
        atoms = NamedAtoms(
            tuple(part.name[k] for k in members),
            tuple(part.element[k] for k in members),
            part.xyz[members].reshape(-1, 3),
        )
        matches[number] = compare.match_deposited(atoms, _deposited(results, residue))
    return matches


def _deposited(results: InstanceFiles, residue: Residue) -> Sequence[DepositedAtom]:
    """Return the deposited atoms of a residue; old files may give it no chain."""
    key = residue.auth_asym_id, residue.comp_id, residue.residue_id
    return results.deposited.get(key) or results.deposited.get(("", *key[1:])) or ()


def _component_of(instance: Instance) -> dict[int, int]:
    return dict(zip(instance.atoms.serial.tolist(), instance.atoms.component.tolist(), strict=True))


def _by_serial(
    instance: Instance, part: FileLigand, matches: Mapping[int, DepositedMatch]
) -> dict[int, Sequence[float] | FloatArray]:
    """Return the deposited place of each atom of a complex by its serial number."""
    component = _component_of(instance)
    rows = {number: iter(match.xyz) for number, match in matches.items()}
    return {serial: next(rows[component[serial]]) for serial in part.serial.tolist()}
