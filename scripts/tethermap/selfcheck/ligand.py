"""Checks of one ligand: its files are read back and compared with one another."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import gemmi
import numpy as np
from rdkit import Chem

from tethermap.base import layout
from tethermap.base.arrays import FloatArray
from tethermap.base.contexts import CONTEXTS, EXPOSED_ABOVE, area_column
from tethermap.base.elements import SYMBOLS, covalent_radius
from tethermap.base.tables import Row
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

_UNKNOWN_ELEMENT = "X"
"""gemmi's symbol of an atom whose element the file does not give."""


Digests = Mapping[str, str]
"""SHA-256 of files by their paths in the job folder."""


def check_ligand(
    job: Path, stem: str, summary: Row, rows: Sequence[Row], written: Digests, on_disk: Digests, *, drawn: bool
) -> Iterator[CheckOutcome]:
    """Yield the outcome of every check of one instance; a file that can't be read ends them.

    Parameters
    ----------
    stem : str
        Stem of its files.
    summary : Row
        Its row of Resolved_SASA_Summary.
    rows : sequence of Row
        Its rows of Warhead_SASA_atoms, in SDF order.
    written, on_disk : mapping
        sha256 of its files by path, as reported by their writers and as found on disk.
    drawn : bool
        Whether it has depictions.
    """
    pdb, cif = layout.war_pdb(stem), layout.war_pdb(stem, "cif")
    complexes = [path for path in (pdb, cif) if path in written] or [pdb]  # serials are those of the first
    depictions = [layout.ligand_svg(stem, style) for style in ("plain", "exposed", "exits") if drawn]
    paths = sorted({*complexes, layout.ligand_sdf(stem), *depictions, *written})
    changed = [path for path in paths if path not in written or written[path] != on_disk.get(path)]
    yield CheckOutcome.of("files", changed)
    serials = [int(row["atom_id"] or 0) for row in rows]
    try:
        mol = _read_sdf(job / layout.ligand_sdf(stem))
        found, places = _read_complex(job / complexes[0], serials)
    except (OSError, RuntimeError, ValueError) as error:
        yield CheckOutcome("same_atoms", False, "", f"unreadable: {str(error)[:200]}")
        return
    elements = [symbol if (symbol := atom.GetSymbol()) in SYMBOLS else _UNKNOWN_ELEMENT for atom in mol.GetAtoms()]
    xyz = np.asarray(mol.GetConformer().GetPositions())
    heavy = [k for k, element in enumerate(elements) if element != "H"]
    same = len(serials) == len(heavy) and found == [elements[k] for k in heavy]
    same = same and bool(np.abs(places - xyz[heavy]).max() <= MAX_SHIFT)
    yield CheckOutcome.of("same_atoms", [] if same else [f"{complexes[0]} has other heavy atoms than the SDF"])
    yield CheckOutcome.of("bonds", list(odd_bonds(mol, elements, xyz)))
    pieces = len(Chem.GetMolFrags(mol))
    yield CheckOutcome("connected", pieces == 1, *(("", "") if pieces == 1 else (str(pieces), "pieces")))
    yield CheckOutcome.of("sasa_sums", list(wrong_sums(summary, rows)))


def _read_sdf(path: Path) -> Chem.Mol:
    """Return the one molecule of an SDF, not sanitised."""
    text = path.read_text(encoding="utf-8")
    mol = Chem.MolFromMolBlock(text, sanitize=False, removeHs=False, strictParsing=True)
    if mol is None or text.count("\n$$$$\n") != 1:  # type: ignore[redundant-expr]
        raise ValueError("not one readable molecule")
    return mol


def _read_complex(path: Path, serials: Sequence[int]) -> tuple[list[str], FloatArray]:
    """Return elements and coordinates, shape (n_found, 3), of the atoms with these serial numbers in PDB or mmCIF."""
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
    by_serial = {cra.atom.serial: cra.atom for cra in structure[0].all()}
    atoms = [by_serial[serial] for serial in serials if serial in by_serial]
    return [atom.element.name for atom in atoms], np.array([atom.pos.tolist() for atom in atoms]).reshape(-1, 3)


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
