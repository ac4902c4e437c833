"""Checks of one ligand: its files are read back and compared with one another and with the deposited entry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import gemmi
import numpy as np
from rdkit import Chem

from tethermap.base import layout
from tethermap.base.arrays import FloatArray
from tethermap.base.contexts import CONTEXTS, EXPOSED_ABOVE, area_column
from tethermap.base.elements import SYMBOLS, covalent_radius
from tethermap.base.tables import Row
from tethermap.instance.model import Instance
from tethermap.selfcheck.deposited import UNKNOWN_ELEMENT, Atom, ResidueKey, atom_of, read_deposited
from tethermap.selfcheck.outcome import CheckOutcome

MAX_SHIFT = 0.001 + 1e-6
"""Largest difference of coordinates that counts as equal, in angstroms, for each axis."""

BOND_RANGE = (0.6, 1.35)
"""Bond lengths as multiples of the sum of covalent radii."""

AREA_COLUMNS = {
    "SASA_free_A2": "SASA_free_A2",
    "SASA_in_complex_A2": "Exposure_A2",
    **{column: column for column in map(area_column, CONTEXTS)},
}
"""Columns of the summary and of the atoms that contain the same areas."""

SUMMARY_COLUMNS = frozenset({"Total_atoms", "Exposed_atoms", *AREA_COLUMNS})
ATOM_COLUMNS = frozenset({"atom_id", *AREA_COLUMNS.values()})
"""Columns of both tables that the checks read."""

ROUNDING = 0.0005 + 1e-6
"""Largest difference of an area from its three decimals in the tables, in square angstroms."""

_ATOM_RECORDS = (b"ATOM  ", b"HETATM")

_NOWHERE = (np.nan, np.nan, np.nan)
"""Coordinates of an atom that the deposited entry does not have."""


@dataclass(frozen=True, slots=True)
class LigandFiles:
    """Results of one instance.

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
    written, on_disk : mapping
        sha256 of its files by path, as reported by their writers and as found on disk.
    drawn : bool
        Whether it has depictions.
    """

    instance: Instance
    summary: Row
    atoms: Sequence[Row]
    deposited: Mapping[ResidueKey, Sequence[Atom]]
    written: Mapping[str, str]
    on_disk: Mapping[str, str]
    drawn: bool


def check_ligand(job: Path, files: LigandFiles) -> Iterator[CheckOutcome]:
    """Yield the outcome of every check of one instance; a file that can't be read ends them."""
    stem = files.instance.stem
    pdb, cif = layout.war_pdb(stem), layout.war_pdb(stem, "cif")
    complexes = [path for path in (pdb, cif) if path in files.written] or [pdb]
    depictions = [layout.ligand_svg(stem, style) for style in ("plain", "exposed", "exits") if files.drawn]
    paths = sorted({*complexes, layout.ligand_sdf(stem), *depictions, *files.written})
    changed = [path for path in paths if path not in files.written or files.written[path] != files.on_disk.get(path)]
    yield CheckOutcome.of("files", changed)
    serials = [int(row["atom_id"] or 0) for row in files.atoms]
    try:
        mol = _read_sdf(job / layout.ligand_sdf(stem))
        atoms = _read_complex(job / complexes[0], serials)
        comp_ids = {residue.comp_id for residue in files.instance.components}
        twin = read_deposited(job / cif, comp_ids) if complexes == [pdb, cif] else None
    except (OSError, RuntimeError, ValueError) as error:
        yield CheckOutcome("same_atoms", False, "", f"unreadable: {str(error)[:200]}")
        return
    elements = [symbol if (symbol := atom.GetSymbol()) in SYMBOLS else UNKNOWN_ELEMENT for atom in mol.GetAtoms()]
    heavy = [k for k, element in enumerate(elements) if element != "H"]
    same = len(serials) == len(heavy) and [atom.element for atom in atoms.values()] == [elements[k] for k in heavy]
    others = [] if same else [f"{complexes[0]} has other heavy atoms than the SDF"]
    xyz = [atom.xyz for atom in atoms.values()]
    if twin is not None:
        places, problems = _places_among(twin, files.instance, atoms)
        if problems or not coordinates_agree("same_atoms", xyz, [places[serial] for serial in atoms]).passed:
            others.append(f"{cif} has other atoms than {pdb}")
    yield CheckOutcome.of("same_atoms", others)
    places, problems = _places_among(files.deposited, files.instance, atoms)
    yield coordinates_agree("coordinates_complex", xyz, [places[serial] for serial in atoms])
    positions = np.asarray(mol.GetConformer().GetPositions())
    yield coordinates_agree("coordinates_sdf", positions[heavy], [places.get(k, _NOWHERE) for k in serials])
    yield CheckOutcome.of("formula", problems)
    yield CheckOutcome.of("bonds", list(odd_bonds(mol, elements, positions)))
    pieces = len(Chem.GetMolFrags(mol))
    yield CheckOutcome("connected", pieces == 1, *(("", "") if pieces == 1 else (str(pieces), "pieces")))
    yield CheckOutcome.of("sasa_sums", list(wrong_sums(files.summary, files.atoms)))


def _read_sdf(path: Path) -> Chem.Mol:
    """Return the one molecule of an SDF, not sanitised."""
    text = path.read_text(encoding="utf-8")
    mol = Chem.MolFromMolBlock(text, sanitize=False, removeHs=False, strictParsing=True)
    if mol is None or text.count("\n$$$$\n") != 1:  # type: ignore[redundant-expr]
        raise ValueError("not one readable molecule")
    return mol


def _read_complex(path: Path, serials: Sequence[int]) -> dict[int, Atom]:
    """Return the heavy atoms with the given serial numbers of a PDB or mmCIF file, in the order of the numbers."""
    content = path.read_bytes()
    if path.suffix == ".pdb":
        wanted = {b"%5d" % serial for serial in serials}
        for begin in (content.rfind(b"\nATOM") + 1, 0):  # most ligands follow the polymers
            lines = [line for line in content[begin:].splitlines(keepends=True) if line[6:11] in wanted]
            lines = [line for line in lines if line.startswith(_ATOM_RECORDS)]
            if len(lines) == len(wanted):
                break
        structure = gemmi.read_pdb_string(b"".join(lines))
    else:
        structure = gemmi.make_structure_from_block(gemmi.cif.read_string(content)[0])
    found = {cra.atom.serial: atom_of(cra.atom) for cra in structure[0].all() if not cra.atom.is_hydrogen()}
    return {serial: found[serial] for serial in serials if serial in found}


def _places_among(
    deposited: Mapping[ResidueKey, Sequence[Atom]], instance: Instance, atoms: Mapping[int, Atom]
) -> tuple[dict[int, tuple[float, float, float]], list[str]]:
    """Return the deposited coordinates of a complex's atoms by serial number, and components of another formula."""
    listed = instance.atoms
    component_of = dict(zip(listed.serial.tolist(), listed.component.tolist(), strict=True))
    places, problems = {}, []
    for number, residue in enumerate(instance.components):
        members = {serial: atom for serial, atom in atoms.items() if component_of[serial] == number}
        key = residue.auth_asym_id, residue.comp_id, residue.residue_id
        same_residue = deposited.get(key) or deposited.get(("", *key[1:])) or ()  # old files may lack chains
        labels = sorted({atom.altloc for atom in same_residue} - {""}) or [""]
        conformers = ([atom for atom in same_residue if atom.altloc in ("", label)] for label in labels)
        fits = [fit_conformer(members, conformer) for conformer in conformers]
        _, found, problem = min(fits, key=lambda fit: fit[0])
        places.update(found)
        problems += [f"{residue.comp_id}: {problem}"] if problem else []
    return places, problems


def fit_conformer(
    atoms: Mapping[int, Atom], conformer: Sequence[Atom]
) -> tuple[int, dict[int, tuple[float, float, float]], str]:
    """Return the number of differing atoms of a conformer, the nearest namesake's position of each, and differences.

    A number may be that of several copies of a component.
    """
    named: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
    for atom in conformer:
        named.setdefault((atom.name, atom.element), []).append(atom.xyz)
    places = {
        serial: min(named.get((atom.name, atom.element), [_NOWHERE]), key=lambda place: _shift(atom.xyz, place))
        for serial, atom in atoms.items()
    }
    moved = sum(not _shift(atom.xyz, places[serial]) <= MAX_SHIFT for serial, atom in atoms.items())
    expected = Counter((atom.name, atom.element) for atom in atoms.values())
    copies = max(1, len(conformer) // max(1, len(atoms)))
    observed = Counter({key: len(found) for key, found in named.items()})
    if observed in (expected, Counter({key: copies * count for key, count in expected.items()})):
        return moved, places, ""
    words = [f"not deposited: {name}" for name, _ in expected - observed]
    words += [f"left out: {name}" for name, _ in observed - expected]
    return moved + len(words), places, ", ".join(words)


def _shift(one: Sequence[float], other: Sequence[float]) -> float:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def coordinates_agree(
    check: str, xyz: Sequence[Sequence[float]] | FloatArray, deposited: Sequence[Sequence[float]]
) -> CheckOutcome:
    """Compare coordinates of shape (n_atoms, 3), in angstroms, atom by atom."""
    if len(xyz) != len(deposited) or not len(xyz):
        return CheckOutcome(check, False, "", f"{len(xyz)} atoms, {len(deposited)} in the table")
    shift = np.abs(np.asarray(xyz) - np.asarray(deposited)).max()
    passed = bool(shift <= MAX_SHIFT)
    return CheckOutcome(check, passed, *(("", "") if passed else (f"{shift:.4f}", "largest shift in angstroms")))


def odd_bonds(mol: Chem.Mol, elements: Sequence[str], xyz: FloatArray) -> Iterator[str]:
    """Yield bonds of impossible length between heavy atoms."""
    radii = np.array([np.nan if element == "H" else covalent_radius(element) for element in elements])
    first, second = np.nonzero(np.triu(Chem.GetAdjacencyMatrix(mol)))
    ratios = np.linalg.norm(xyz[first] - xyz[second], axis=1) / (radii[first] + radii[second])
    for k in np.flatnonzero((ratios < BOND_RANGE[0]) | (ratios > BOND_RANGE[1])):
        yield f"atoms {first[k]} and {second[k]} at {ratios[k]:.2f} times the sum of covalent radii"


def wrong_sums(summary: Row, atoms: Sequence[Row]) -> Iterator[str]:
    """Yield areas of the atoms that don't add up to the ligand's, beyond the rounding of the tables."""
    if int(summary["Total_atoms"] or 0) != len(atoms):
        yield f"{len(atoms)} atoms, not {summary['Total_atoms']}"
    for total, part in AREA_COLUMNS.items():
        whole, areas = summary[total], [float(row[part] or 0) for row in atoms if row[part] is not None]
        if len(areas) != (0 if whole is None else len(atoms)):
            yield f"{total} is given for some atoms only"
        elif whole is not None and abs(float(whole) - sum(areas)) > ROUNDING * (len(areas) + 1):
            yield f"{total} differs by {abs(float(whole) - sum(areas)):.3f}"
    exposure = np.array([float(row["Exposure_A2"] or 0) for row in atoms]) - EXPOSED_ABOVE
    exposed, doubtful = int((exposure > 0).sum()), int((np.abs(exposure) <= ROUNDING).sum())
    if abs(exposed - int(summary["Exposed_atoms"] or 0)) > doubtful:
        yield f"{exposed} atoms are exposed, not {summary['Exposed_atoms']}"
