"""Contacts between a ligand and its surroundings: hbond, hydrophobic, ionic, halogen, rings, water, covalent, metal.

Structures rarely show hydrogens, so all rules use heavy atoms only. Cut-offs and their sources:

==================  ==========================================================================
hydrophobic         both carbons, bonded to C and H only, at most 4.0 Å apart; per ligand atom
                    and residue the closest pair, then per partner atom the closest
                    (PLIP: Salentin 2015, doi:10.1093/nar/gkv315)
hbond               N or O donor to N or O acceptor, at most 3.5 Å
                    (Hubbard and Haider 2001, doi:10.1038/npg.els.0003011, as used by PLIP) and at
                    least 2.2 Å (Steiner 2002,
                    doi:10.1002/1521-3773(20020104)41:1<48::AID-ANIE48>3.0.CO;2-U); the bonded
                    neighbours of each end make 90° or more with the line between them
                    (McDonald and Thornton 1994, doi:10.1006/jmbi.1994.1334)
ionic               N and O of groups with opposite charge, at most 4.0 Å; the closest of each
                    atom on either side, so that a bidentate bridge has both its pairs; such a
                    pair is not also an hbond
                    (Barlow and Thornton 1983, doi:10.1016/S0022-2836(83)80079-5)
halogen             Cl, Br or I on carbon to N, O or S, at most 4.0 Å, 135° or more at the halogen
                    and 90 to 150° at the partner (Auffinger 2004, doi:10.1073/pnas.0407607101;
                    angles as in PLIP)
pi_stacking,        see `tethermap.complex.rings`; `detail` is parallel or t_shaped, and for
cation_pi           cation_pi the side of the ligand, ring or cation
water               see `tethermap.complex.water_bridges`; the distance is that of the ligand's
                    atom and the water, which `detail` names; the partner may be a metal
metal               N, O, S, P, Se or halogen with at most three heavy neighbours within 3.0 Å of a
                    metal, or a declared metal link (Harding 2004, doi:10.1107/S0907444904004081;
                    elements and distance as used by PLIP)
covalent            the instance's covalent links
==================  ==========================================================================
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rdkit import Chem

from tethermap.base.arrays import BoolArray, FloatArray, IntArray
from tethermap.base.contexts import CONTEXTS
from tethermap.base.elements import HALOGENS, are_metals
from tethermap.base.tables import Row, natural_key
from tethermap.complex import limits
from tethermap.complex.polar_groups import PolarAtoms, ligand_polar_atoms, partner_polar_atoms
from tethermap.complex.rings import Contact, StackingSide, ring_contacts, rings_of_ligand, rings_of_residues
from tethermap.complex.water_bridges import water_bridges
from tethermap.entry.near import distances
from tethermap.instance.model import Instance, Neighbourhood
from tethermap.molecule.record import LigandMolecule

Ligand = tuple[Instance, LigandMolecule]

_Found = dict[tuple[int, int, str], tuple[float, str]]
"""Distance and detail of contacts by ligand atom, partner atom and type."""

LIGATING = [*HALOGENS, "N", "O", "S", "P", "Se"]
"""Elements of a ligand that bind a metal."""

MOST_NEIGHBOURS = 3
"""Maximum number of heavy neighbours of an atom with a lone pair to donate; a phosphate's P or a sulfone's S has
four."""

BOND_MAX = {"S": 2.1, "P": 2.1, "Se": 2.2, "Cl": 2.1, "Br": 2.3, "I": 2.5, "Fe": 2.4, "Zn": 2.4}
OTHER_BOND_MAX = 1.85
"""Longest bond in angstroms from these elements to C, N or O if bonds are inferred from distances, and from others."""

_SEARCH = max(limits.HYDROPHOBIC_MAX, limits.HBOND_MAX, limits.IONIC_MAX, limits.METAL_MAX)
_LONGEST_BOND = max(*BOND_MAX.values(), OTHER_BOND_MAX)
_SAME_PLACE = 0.05
_FARTHEST = max(_SEARCH, limits.STACKING_MAX, limits.CATION_PI_MAX)
_BETWEEN_CENTRES = frozenset({"pi_stacking", "cation_pi"})
_PARTNER = ("partner_chain", "partner_residue", "partner_component", "partner_atom", "context", "partner_copy")
_TYPES = ("covalent", "metal", "ionic", "hbond", "halogen", "cation_pi", "pi_stacking", "water", "hydrophobic")


class _Around(NamedTuple):
    """Possible partner atoms of a ligand and their properties: from its contexts, or another ligand's."""

    atoms: Neighbourhood
    rings: StackingSide
    polar: PolarAtoms | None = None


def ligand_contacts(
    instance: Instance, mol: LigandMolecule, neighbourhood: Neighbourhood, others: Sequence[Ligand] = ()
) -> list[Row]:
    """Return the contacts of one ligand instance, ordered by ligand atom, type and partner.

    Parameters
    ----------
    instance : Instance
        The ligand as deposited, with its links.
    mol : LigandMolecule
        Its molecule: bonds, hydrogens and charges decide what an atom can do.
    neighbourhood : Neighbourhood
        Heavy atoms around it in its frame; hydrogen bonds to waters are not reported.
    others : sequence of (Instance, LigandMolecule)
        Instances of its entry; contacts with those in its site are listed, in the deposited copy. Alternates and poses
        have none.

    Returns
    -------
    list of Row
        Rows of `tables.CONTACTS`. `context` is the smallest context that contains the partner, empty for another ligand
        and for a linked atom in none; distances in angstroms.
    """
    rows: list[tuple[int, str, Row]] = []
    own, xyz = ligand_polar_atoms(mol.mol, mol.n_heavy, _on_cysteine(instance, mol)), instance.atoms.xyz[mol.atom_index]
    rings, residues = rings_of_ligand(mol, xyz, own), _Around(neighbourhood, rings_of_residues(neighbourhood))
    for around in (residues, *_beside(instance, mol, neighbourhood, others)):
        found: _Found = {}
        if len(around.atoms) and mol.n_heavy:
            contacts = [*_atom_contacts(mol, xyz, own, around), *ring_contacts(rings, around.rings)]
            if instance.waters and around.polar is None:
                contacts += water_bridges(instance.waters, xyz, own.donor | own.acceptor, neighbourhood)
            for kind, i, j, distance, detail in contacts:
                if (key := (i, j, kind)) not in found or distance < found[key][0]:
                    found[key] = distance, detail
        if around.polar is None:
            rows += _link_rows(instance, mol, neighbourhood, found)
        for (i, j, kind), (distance, detail) in found.items():
            rows.append((i, kind, {**_partner(around.atoms, j), "distance_A": distance, "detail": detail}))
    rows.sort(key=_row_key)
    finished: list[Row] = []
    for i, kind, cells in rows:
        place = f"{cells['partner_chain']} {cells['partner_residue']}"
        accession, _, number = instance.uniprot.get(place, "").partition(":")
        finished.append({
            **instance.cells,
            "ligand_atom": mol.names[i],
            "type": kind,
            **cells,
            "partner_uniprot": accession,
            "partner_uniprot_residue": number,
            "distance_between": "centres" if kind in _BETWEEN_CENTRES else "atoms",
        })  # fmt: skip
    return finished


def _row_key(row: tuple[int, str, Row]) -> tuple[object, ...]:
    i, kind, cells = row
    place = cells["partner_chain"], natural_key(str(cells["partner_residue"])), cells["partner_atom"]
    return i, _TYPES.index(kind), place, cells["partner_copy"], cells["distance_A"]


def _beside(
    instance: Instance, mol: LigandMolecule, neighbourhood: Neighbourhood, others: Sequence[Ligand]
) -> Iterator[_Around]:
    """Yield the other ligands near a ligand that coexist with it and are in none of its contexts."""
    if instance.facts.docked:
        return
    xyz = instance.atoms.xyz[mol.atom_index]
    low, high = xyz.min(axis=0) - _FARTHEST, xyz.max(axis=0) + _FARTHEST
    for other, molecule in others:
        places = other.atoms.xyz[molecule.atom_index]
        if other.stem == instance.stem or (places.max(axis=0) < low).any() or (places.min(axis=0) > high).any():
            continue
        of_atoms = distances(xyz, places).min(axis=0)
        nearest, facing = float(of_atoms.min()), places[of_atoms.argmin()]  # contexts are cut out around the ligand
        alternate = bool(instance.altloc) and other.altloc not in ("", instance.altloc)
        apart = limits.SITE_SHARED_WITHIN <= nearest <= _FARTHEST
        if alternate or not apart or other.facts.docked or _atom_at(neighbourhood, facing) is not None:
            continue
        residues = [other.components[k] for k in other.atoms.component[molecule.atom_index].tolist()]
        atoms = Neighbourhood(
            xyz=places,
            element=np.array([other.atoms.element[k] for k in molecule.atom_index]),
            comp_id=np.array([residue.comp_id for residue in residues]),
            atom_name=np.array([other.atoms.name[k] for k in molecule.atom_index]),
            auth_asym_id=np.array([residue.auth_asym_id for residue in residues]),
            residue_id=np.array([residue.residue_id for residue in residues]),
            copy_name=np.full(len(residues), ""),
            context=np.full(len(residues), len(CONTEXTS)),
            largest=0,
        )
        polar = ligand_polar_atoms(molecule.mol, len(places), _on_cysteine(other, molecule))
        yield _Around(atoms, rings_of_ligand(molecule, places, polar), polar)


def _on_cysteine(instance: Instance, mol: LigandMolecule) -> list[int]:
    """Return the atoms of the molecule that are bonded to the sulfur of a residue."""
    bonded = {link.atom for link in instance.links if link.kind == "covalent" and link.partner_element == "S"}
    return [number for number, index in enumerate(mol.atom_index.tolist()) if index in bonded]


def _numbered(*columns: npt.NDArray[np.str_]) -> IntArray:
    """Return a number for each row of the columns, the same for equal rows; numbers compare faster than names."""
    numbers: dict[tuple[str, ...], int] = {}
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return np.array([numbers.setdefault(row, len(numbers)) for row in rows], dtype=np.int64)


def _bonded(xyz: FloatArray, element: npt.NDArray[np.str_], near: IntArray) -> BoolArray:
    """Return bonds of the near atoms to all atoms by distance, shape (n_near, n_atoms)."""
    longest = np.full(len(element), OTHER_BOND_MAX)
    for symbol, limit in BOND_MAX.items():
        longest[element == symbol] = limit
    distance = distances(xyz[near], xyz)
    result: BoolArray = (distance > 0.5) & (distance <= np.maximum(longest[near, None], longest[None, :]))
    return result


def _bonded_centre(bonded: BoolArray, xyz: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the mean place of each atom's bonded neighbours (NaN without) and their number."""
    degree = bonded.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        centre: FloatArray = (bonded.astype(np.float64) @ xyz) / degree[:, None]
    return centre, degree.astype(np.int64)


def _atom_contacts(mol: LigandMolecule, own_xyz: FloatArray, ligand: PolarAtoms, around: _Around) -> Iterator[Contact]:
    """Yield the contacts between two atoms; arrays over ligand atoms have rows, over partner atoms columns."""
    neighbourhood = around.atoms
    distance = distances(own_xyz, neighbourhood.xyz)
    nearest = distance.min(axis=0)
    near = np.flatnonzero(nearest <= _SEARCH)
    beside = np.flatnonzero(nearest <= _SEARCH + _LONGEST_BOND)  # near atoms, and all that can be bonded to them
    own = np.searchsorted(beside, near)
    xyz, element = neighbourhood.xyz[beside], neighbourhood.element[beside]
    copy = _numbered(neighbourhood.copy_name[beside])
    bonded = (copy[own, None] == copy) & _bonded(xyz, element, own)
    other_centre, degree = _bonded_centre(bonded, xyz)
    hetero = ~((element == "C") | (element == "H") | (element == "D"))
    xyz, element, distance = xyz[own], element[own], distance[:, near]
    plain = (element == "C") & ~(bonded & hetero).any(axis=1)
    other = around.polar.of(near) if around.polar else partner_polar_atoms(neighbourhood, near, degree, plain)
    ligand_bonds = Chem.GetAdjacencyMatrix(mol.mol)[: mol.n_heavy, : mol.n_heavy].astype(np.bool_)
    ligand_centre, ligand_degree = _bonded_centre(ligand_bonds, own_xyz)

    def at_angles(mask: BoolArray, allowed: Callable[[FloatArray, FloatArray], BoolArray]) -> BoolArray:
        """Keep the pairs whose line has allowed cosines with the bonds of the ligand atom and of the partner atom."""
        i, j = np.nonzero(mask)
        if not len(i):  # the usual case of halogens
            return mask
        line = xyz[j] - own_xyz[i]
        mask[mask] = allowed(_cosine(line, ligand_centre[i] - own_xyz[i]), _cosine(-line, other_centre[j] - xyz[j]))
        return mask

    symbol = [mol.mol.GetAtomWithIdx(i).GetSymbol() for i in range(mol.n_heavy)]
    ligates = np.array([one in LIGATING for one in symbol]) & (ligand_degree <= MOST_NEIGHBOURS)
    coordinated = (distance <= limits.METAL_MAX) & ligates[:, None] & are_metals(element)[None, :]
    opposite = ligand.positive[:, None] & other.negative[None, :] | ligand.negative[:, None] & other.positive[None, :]
    ionic = (distance <= limits.IONIC_MAX) & opposite
    complementary = ligand.donor[:, None] & other.acceptor[None, :] | ligand.acceptor[:, None] & other.donor[None, :]
    hbond = (distance <= limits.HBOND_MAX) & (distance >= limits.HBOND_MIN) & complementary & ~ionic
    lipophilic = (distance <= limits.HYDROPHOBIC_MAX) & ligand.hydrophobic[:, None] & other.hydrophobic[None, :]
    names = neighbourhood.auth_asym_id[near], neighbourhood.residue_id[near], neighbourhood.copy_name[near]
    residue = _numbered(*names)
    per_residue = np.arange(mol.n_heavy)[:, None] * len(near) + residue  # groups of a ligand atom and a residue
    per_atom = np.broadcast_to(np.arange(len(near)), per_residue.shape)
    # Halogens on carbon near an atom with a lone pair.
    halogen = np.array([one in ("Cl", "Br", "I") for one in symbol])
    taker = (element == "N") | (element == "O") | (element == "S")
    low, high = np.cos(np.radians(limits.HALOGEN_PARTNER_ANGLES))[::-1]
    straight, narrowest = np.cos(np.radians((limits.HALOGEN_MIN_ANGLE, limits.HBOND_MIN_ANGLE)))
    extended = at_angles(
        (distance <= limits.HALOGEN_MAX) & halogen[:, None] & taker,
        lambda at_halogen, at_partner: (at_halogen <= straight) & (at_partner >= low) & (at_partner <= high),
    )
    # Bonded neighbours leave the line between the two atoms free; NaN (no neighbours) passes.
    hbond = at_angles(hbond, lambda first, second: ~(first > narrowest + 1e-9) & ~(second > narrowest + 1e-9))
    masks = {
        "metal": coordinated,
        "ionic": _closest(ionic, distance, per_residue) | _closest(ionic, distance, per_atom),
        "hbond": hbond,
        "halogen": extended,
        "hydrophobic": _closest(_closest(lipophilic, distance, per_residue), distance, per_atom),
    }
    for kind, mask in masks.items():
        for i, j in np.argwhere(mask).tolist():
            yield kind, i, int(near[j]), float(distance[i, j]), ""


def _cosine(first: FloatArray, second: FloatArray) -> FloatArray:
    product = np.sum(first * second, axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        result: FloatArray = product / (np.linalg.norm(first, axis=-1) * np.linalg.norm(second, axis=-1))
    return result


def _closest(mask: BoolArray, distance: FloatArray, group: IntArray) -> BoolArray:
    """Keep the closest pair of the mask in each group of pairs (first of equals); all arrays have the same shape."""
    kept = np.zeros(mask.size, dtype=np.bool_)
    pairs = np.flatnonzero(mask)
    order = pairs[np.lexsort((distance.ravel()[pairs], group.ravel()[pairs]))]
    kept[order[np.unique(group.ravel()[order], return_index=True)[1]]] = True
    return kept.reshape(mask.shape)


def _link_rows(
    instance: Instance, mol: LigandMolecule, neighbourhood: Neighbourhood, found: _Found
) -> Iterator[tuple[int, str, Row]]:
    """Yield the links outside every context; move the others into `found`.

    A covalently linked pair or a declared metal bond has no other contact type.
    """
    position = {int(atom): k for k, atom in enumerate(mol.atom_index)}
    for link in instance.links:
        if (i := position.get(link.atom)) is None:
            continue
        if (there := _atom_at(neighbourhood, link.partner_xyz)) is not None:
            for kind in _TYPES:
                found.pop((i, there, kind), None)
            found[i, there, link.kind] = link.distance, ""
            continue
        names = (link.partner.auth_asym_id, link.partner.residue_id, link.partner.comp_id, link.partner_atom, "", "")
        yield i, link.kind, {**dict(zip(_PARTNER, names, strict=True)), "distance_A": link.distance}


def _atom_at(neighbourhood: Neighbourhood, xyz: tuple[float, float, float]) -> int | None:
    if not len(neighbourhood):
        return None
    distance = np.linalg.norm(neighbourhood.xyz - np.asarray(xyz), axis=1)
    nearest = int(distance.argmin())
    return nearest if distance[nearest] <= _SAME_PLACE else None


def _partner(around: Neighbourhood, j: int) -> dict[str, str]:
    context = (*CONTEXTS, "")[around.context[j]]
    names = (around.auth_asym_id[j], around.residue_id[j], around.comp_id[j], around.atom_name[j])
    return dict(zip(_PARTNER, (*map(str, names), context, str(around.copy_name[j])), strict=True))
