"""Checks of files and tables of one ligand: pure functions that tell what is wrong, with nothing when all is well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tethermap.base.arrays import FloatArray, IntArray
from tethermap.base.contexts import CONTEXTS, area_column
from tethermap.base.elements import covalent_radii
from tethermap.base.tables import Row
from tethermap.exposure.rows import SDF_LISTS
from tethermap.selfcheck.complex_file import FileLigand
from tethermap.selfcheck.deposited import DepositedAtom
from tethermap.selfcheck.outcome import CheckOutcome
from tethermap.selfcheck.sdf_file import SdfLigand

MAX_SHIFT = 0.001
"""Largest difference of coordinates that counts as equal, in angstroms, for each axis."""

MAX_ROUNDED = 0.0006
"""Largest difference of a coordinate that one file gives to three decimals and the other to more, in angstroms."""

BOND_RANGE = (0.6, 1.35)
"""Bond lengths as multiples of the sum of covalent radii."""

NOWHERE = (float("nan"), float("nan"), float("nan"))
"""Place of an atom that was not found."""

_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class NamedAtoms:
    """Atoms of one residue of the ligand: name, element and place of each."""

    name: tuple[str, ...]
    element: tuple[str, ...]
    xyz: FloatArray


def same_atoms(complex_ligand: FileLigand, sdf: SdfLigand, serial: Sequence[int]) -> CheckOutcome:
    """Compare the ligand's heavy atoms in the complex and the SDF.

    Parameters
    ----------
    complex_ligand : FileLigand
        As read from the complex.
    sdf : SdfLigand
        As read from the SDF.
    serial : sequence of int
        Serial number in the complex of each heavy atom of the SDF, in its order.
    """
    in_complex = dict(zip(complex_ligand.serial.tolist(), complex_ligand.element, strict=True))
    wrong = [number for number, element in zip(serial, sdf.element, strict=False) if in_complex.get(number) != element]
    lengths = len(complex_ligand.serial), len(sdf.element), len(serial)
    passed = not wrong and len(set(lengths)) == 1 and len(in_complex) == lengths[0]
    detail = "" if passed else f"atoms in complex, SDF, table: {lengths}; elements differ at serials {wrong[:5]}"
    return CheckOutcome("same_atoms", passed, "" if passed else str(len(wrong)), detail)


def same_twin(complex_ligand: FileLigand, twin: FileLigand) -> CheckOutcome:
    """Compare the ligand in a PDB file with that of its mmCIF twin, which holds full names."""
    first, second = (
        sorted(zip(part.residue, part.name, part.element, part.xyz.tolist(), strict=True))
        for part in (complex_ligand, twin)
    )
    passed = [atom[:3] for atom in first] == [atom[:3] for atom in second] and all(
        abs(a - b) <= MAX_ROUNDED
        for one, other in zip(first, second, strict=True)
        for a, b in zip(one[3], other[3], strict=True)
    )
    detail = "" if passed else f"{len(first)} atoms in the PDB file, {len(second)} or others in its mmCIF twin"
    return CheckOutcome("same_atoms", passed, "", detail)


def nothing_else(complex_ligand: FileLigand) -> CheckOutcome:
    """Tell whether the ligand's residues hold atoms that the ligand has not."""
    count = complex_ligand.others
    return CheckOutcome("nothing_else", count == 0, str(count) if count else "", "atoms too many" if count else "")


def coordinates_agree(check: str, xyz: FloatArray, deposited: FloatArray) -> CheckOutcome:
    """Compare coordinates atom by atom.

    Parameters
    ----------
    check : str
        Name of the check.
    xyz, deposited : ndarray of float, shape (n_atoms, 3)
        In angstroms; NaN for an atom that was not found.
    """
    if xyz.shape != deposited.shape or not len(xyz):
        return CheckOutcome(check, False, "", f"{len(xyz)} atoms against {len(deposited)}")
    shift = np.abs(xyz - deposited).max()
    passed = bool(shift <= MAX_SHIFT + _ROUNDING)
    return CheckOutcome(check, passed, "" if passed else f"{shift:.4f}", "" if passed else "largest shift in angstroms")


@dataclass(frozen=True, slots=True)
class DepositedMatch:
    """The atoms of one residue found among those deposited.

    Parameters
    ----------
    xyz : ndarray of float, shape (n_atoms, 3)
        Deposited coordinates of each atom, NaN where there is none.
    elements : tuple of str
        Elements of all heavy atoms of the conformer.
    problems : str
        Atoms that are missing or left over; empty when there are none.
    """

    xyz: FloatArray
    elements: tuple[str, ...]
    problems: str


def match_deposited(ligand: NamedAtoms, deposited: Sequence[DepositedAtom]) -> DepositedMatch:
    """Find each atom of one residue among those deposited, all in one conformer.

    Parameters
    ----------
    ligand : NamedAtoms
        The residue as this job wrote it.
    deposited : sequence of DepositedAtom
        Heavy atoms of all conformers under the residue's name.

    Returns
    -------
    DepositedMatch
        For the conformer that fits best.
    """
    labels = sorted({atom.altloc for atom in deposited} - {""}) or [""]
    matches = (_match(ligand, [atom for atom in deposited if atom.altloc in ("", label)]) for label in labels)
    return min(matches, key=lambda match: match[0])[1]


def _match(ligand: NamedAtoms, conformer: Sequence[DepositedAtom]) -> tuple[int, DepositedMatch]:
    """Match by name, the nearest first; count atoms without partner, moved ones and those left over."""
    named: dict[tuple[str, str], list[DepositedAtom]] = {}
    for atom in conformer:
        named.setdefault((atom.name, atom.element), []).append(atom)
    places: list[tuple[float, float, float]] = []
    elements = []
    missing, moved = [], 0
    for name, element, xyz in zip(ligand.name, ligand.element, ligand.xyz.tolist(), strict=True):
        same = named.get((name, element))
        if not same:
            missing.append(name)
            places.append(NOWHERE)
            continue
        shifts = [max(abs(a - b) for a, b in zip(xyz, atom.xyz, strict=True)) for atom in same]
        nearest = same.pop(shifts.index(min(shifts)))
        places.append(nearest.xyz)
        elements.append(nearest.element)
        moved += min(shifts) > MAX_SHIFT + _ROUNDING
    free = [atom for left in named.values() for atom in left]
    left_over = Counter(atom.name for atom in free)
    copies = next(iter(left_over.values()), 0)
    if left_over and left_over == Counter(dict.fromkeys(ligand.name, copies)):
        left_over.clear()  # further copies of the component under the same number
        free.clear()
    words = [f"not deposited: {', '.join(missing)}"] if missing else []
    words += [f"left out: {', '.join(sorted(left_over))}"] if left_over else []
    elements += [atom.element for atom in free]
    match = DepositedMatch(np.array(places).reshape(-1, 3), tuple(elements), "; ".join(words))
    return len(missing) + moved + left_over.total(), match


def same_formula(sdf: SdfLigand, deposited: Sequence[str]) -> CheckOutcome:
    """Compare the heavy-atom formulas of the SDF and of the deposited atoms."""
    in_sdf, in_entry = Counter(sdf.element), Counter(deposited)
    passed = in_sdf == in_entry
    return CheckOutcome(
        "formula", passed, "", "" if passed else f"{_formula(in_sdf)} in the SDF, {_formula(in_entry)} deposited"
    )


def _formula(counts: Mapping[str, int]) -> str:
    return " ".join(f"{element}{counts[element]}" for element in sorted(counts))


def bonds_sane(sdf: SdfLigand) -> CheckOutcome:
    """Tell bonds of impossible length between heavy atoms."""
    if not len(sdf.bonds):
        return CheckOutcome("bonds", True)
    radii = covalent_radii(sdf.element)
    first, second = sdf.bonds[:, 0], sdf.bonds[:, 1]
    ratio = np.linalg.norm(sdf.xyz[first] - sdf.xyz[second], axis=1) / (radii[first] + radii[second])
    bad = np.flatnonzero((ratio < BOND_RANGE[0]) | (ratio > BOND_RANGE[1]))
    if not len(bad):
        return CheckOutcome("bonds", True)
    worst = int(bad[np.abs(np.log(np.maximum(ratio[bad], _ROUNDING))).argmax()])
    atoms = f"atoms {int(first[worst])} and {int(second[worst])}"
    detail = f"{len(bad)} bonds; {atoms} at {ratio[worst]:.2f} times the sum of covalent radii"
    return CheckOutcome("bonds", False, f"{ratio[worst]:.2f}", detail)


def connected(sdf: SdfLigand) -> CheckOutcome:
    """Tell whether the heavy atoms hang together."""
    pieces = _pieces(len(sdf.element), sdf.bonds)
    return CheckOutcome("connected", pieces == 1, "" if pieces == 1 else str(pieces), "" if pieces == 1 else "pieces")


def _pieces(count: int, bonds: IntArray) -> int:
    group = list(range(count))

    def root(i: int) -> int:
        while group[i] != i:
            group[i] = i = group[group[i]]
        return i

    for i, j in bonds.tolist():
        group[root(i)] = root(j)
    return len({root(i) for i in range(count)})


AREA_COLUMNS = {
    "SASA_free_A2": "SASA_free_A2",
    "SASA_in_complex_A2": "Exposure_A2",
    **{area_column(context): area_column(context) for context in CONTEXTS},
}
"""Columns of the summary and of the atoms that hold the same areas."""

SUMMARY_COLUMNS = frozenset({"Total_atoms", "Exposed_atoms", *AREA_COLUMNS})
ATOM_COLUMNS = frozenset({"atom_id", "exact_atom", *AREA_COLUMNS.values(), *SDF_LISTS.values()})
"""Columns of both that are looked at."""


def sasa_sums(summary: Row, atoms: Sequence[Row], exposed_above: float) -> CheckOutcome:
    """Compare the sums over atoms with the summary, up to the rounding of the tables.

    Parameters
    ----------
    summary : Row
        Row of Resolved_SASA_Summary.
    atoms : sequence of Row
        Rows of Warhead_SASA_atoms of the same instance.
    exposed_above : float
        An atom counts as exposed above this area in the headline context.
    """
    problems = []
    for total, part in AREA_COLUMNS.items():
        whole, values = summary[total], [float(row[part] or 0) for row in atoms if row[part] is not None]
        if whole is None or len(values) < len(atoms):
            if whole is not None or values:
                problems.append(f"{total} is given for some only")
            continue
        difference = abs(float(whole) - sum(values))
        if difference > 0.0005 * (len(values) + 1) + _ROUNDING:
            problems.append(f"{total} differs by {difference:.3f}")
    exposed = sum(float(row["Exposure_A2"] or 0) > exposed_above for row in atoms)
    doubtful = sum(abs(float(row["Exposure_A2"] or 0) - exposed_above) <= 0.0005 for row in atoms)
    if abs(exposed - int(summary["Exposed_atoms"] or 0)) > doubtful:
        problems.append(f"{exposed} atoms are exposed, not {summary['Exposed_atoms']}")
    if int(summary["Total_atoms"] or 0) != len(atoms):
        problems.append(f"{len(atoms)} atoms, not {summary['Total_atoms']}")
    return CheckOutcome.of("sasa_sums", problems)


def sasa_order(atoms: Sequence[Row]) -> CheckOutcome:
    """Tell atoms whose area grows from a smaller to a larger context.

    >>> areas = dict.fromkeys(map(area_column, CONTEXTS), 12.0)
    >>> sasa_order([{"exact_atom": "C1", "SASA_free_A2": 10.0, **areas}]).detail
    'C1'
    """
    columns = ["SASA_free_A2", *(area_column(context) for context in CONTEXTS)]
    grown = []
    for row in atoms:
        areas = [float(value) for column in columns if (value := row[column]) is not None]
        if any(later > earlier + _ROUNDING for earlier, later in pairwise(areas)):
            grown.append(str(row["exact_atom"]))
    return CheckOutcome.of("sasa_order", grown, most=10, joint=", ")


def sasa_lists(sdf: SdfLigand, atoms: Sequence[Row], columns: Mapping[str, str]) -> CheckOutcome:
    """Compare the per-atom lists of the SDF with the table.

    Parameters
    ----------
    sdf : SdfLigand
        As read from the SDF.
    atoms : sequence of Row
        Rows of Warhead_SASA_atoms, in SDF order.
    columns : mapping
        Column of the table by the name of the list.
    """
    problems = []
    for name, column in columns.items():
        values = sdf.lists.get(name, ())
        if len(values) != len(atoms):
            problems.append(f"{name} has {len(values)} values for {len(atoms)} atoms")
        elif any(not _same(text, row[column]) for text, row in zip(values, atoms, strict=True)):
            problems.append(f"{name} differs")
    return CheckOutcome.of("sasa_lists", problems)


def _same(text: str, value: object) -> bool:
    if isinstance(value, int | float):
        return text != "n/a" and abs(float(text) - value) <= 0.001 + _ROUNDING
    return text == ("n/a" if value in (None, "") else str(value))
