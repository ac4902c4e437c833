"""United-atom radii by element, hybridisation and attached hydrogens.

Carbon, nitrogen, oxygen and sulfur follow ProtOr (Tsai et al. 1999, J Mol Biol 290:253, doi:10.1006/jmbi.1999.2829);
``data/reference/radii.csv`` lists the sources of all values.
The same rule, applied to the neutral molecule, gives the radii of ligand and polymer.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
from rdkit import Chem

from tethermap.base.arrays import FloatArray, IntArray, TextArray, as_text
from tethermap.base.reference import rows_of
from tethermap.components.component import Component
from tethermap.entry.atoms import Atoms
from tethermap.molecule.dictionary import dictionary_molecule
from tethermap.molecule.record import NAME

RADII_NAME = "ProtOr (Tsai 1999), Bondi 1964, Alvarez 2013"
"""Name of the set of radii in every output."""

UNKNOWN_ELEMENT_RADIUS = 1.88
"""Radius in angstroms of an atom whose element is not known (``X``): that of sp3 carbon, the commonest."""


class RadiusTable:
    """The radii of ``radii.csv`` and the rule that picks one for an atom.

    Attributes
    ----------
    largest : dict of str to float
        The largest radius that an atom of each element can have, in angstroms.

    Raises
    ------
    KeyError, ValueError
        If the file lacks a class that the rule needs or contains a radius that is not a number.
    """

    def __init__(self) -> None:
        self._by_class = {(row["element"], row["class"]): float(row["radius_A"]) for row in rows_of("radii")}
        self.largest: dict[str, float] = {}
        for (element, _), radius in self._by_class.items():
            self.largest[element] = max(radius, self.largest.get(element, 0.0))

    def largest_of(self, elements: np.typing.NDArray[np.bytes_]) -> FloatArray:
        """Return an upper bound of the radius of each atom by its element.

        Parameters
        ----------
        elements : ndarray of bytes, shape (n_atoms,)
            Element symbols.

        Returns
        -------
        ndarray of float, shape (n_atoms,)
            In angstroms.
        """
        kinds, inverse = np.unique(elements, return_inverse=True)
        radii = [self.largest.get(kind.decode(), UNKNOWN_ELEMENT_RADIUS) for kind in kinds]
        return np.array(radii, dtype=np.float64)[inverse]

    def of_element(self, element: str) -> float:
        """Return the radius of an atom of which only the element is known, in angstroms."""
        return self.largest.get(element, UNKNOWN_ELEMENT_RADIUS)

    def of_atom(self, atom: Chem.Atom) -> float:
        """Return the united-atom radius of an atom of a neutral molecule, in angstroms.

        Parameters
        ----------
        atom : Chem.Atom
            With its hydrogens, explicit or implicit, and its hybridisation perceived.
        """
        element, hydrogens = atom.GetSymbol(), atom.GetTotalNumHs(includeNeighbors=True)
        if element == "C":
            flat = atom.GetHybridization() in (Chem.HybridizationType.SP2, Chem.HybridizationType.SP)
            return self._by_class["C", f"sp2 or sp, {'with' if hydrogens else 'no'} hydrogen" if flat else "sp3"]
        if element == "O":
            heavy = sum(neighbour.GetAtomicNum() > 1 for neighbour in atom.GetNeighbors())
            return self._by_class["O", "one neighbour, no hydrogen" if heavy == 1 and not hydrogens else "other"]
        return self.of_element(element)


class PolymerRadii:
    """Radii of the atoms around a ligand, by component and atom name.

    Parameters
    ----------
    find : callable
        Look-up of a component by its code, None when unknown.
    """

    def __init__(self, find: Callable[[str], Component | None]) -> None:
        self.table = RadiusTable()
        self._find = find
        self._radii_of = cache(self._component)
        self._of_names: dict[tuple[str, str, str], float] = {}

    def of(self, comp_id: str, atom_name: str, element: str) -> float:
        """Return the radius of one atom in angstroms; by its element when its name is unknown."""
        radius = self._radii_of(comp_id).get((element, atom_name))
        return self.table.of_element(element) if radius is None else radius

    def of_all(self, comp_ids: TextArray, atom_names: TextArray, elements: TextArray) -> FloatArray:
        """Return the radii of many atoms.

        Returns
        -------
        ndarray of float, shape (n_atoms,)
            In angstroms.
        """
        names = list(zip(comp_ids.tolist(), atom_names.tolist(), elements.tolist(), strict=True))
        self._of_names.update((name, self.of(*name)) for name in set(names).difference(self._of_names))
        return np.array([self._of_names[name] for name in names], dtype=np.float64)

    def _component(self, comp_id: str) -> dict[tuple[str, str], float]:
        component = self._find(comp_id)
        molecule = dictionary_molecule(component, neutral=True) if component else None
        heavy = [atom for atom in molecule.GetAtoms() if atom.GetAtomicNum() > 1] if molecule else []
        return {(atom.GetSymbol(), atom.GetProp(NAME)): self.table.of_atom(atom) for atom in heavy}


class EntryRadii:
    """Radii of the atoms of one entry, each looked up once.

    Parameters
    ----------
    atoms : Atoms
        Atoms of the entry.
    by_name : PolymerRadii
        Radii by component and atom name.
    """

    def __init__(self, atoms: Atoms, by_name: PolymerRadii) -> None:
        self.by_name = by_name
        self._atoms = atoms
        self._known = np.full(len(atoms), np.nan)

    def of(self, index: IntArray) -> FloatArray:
        """Return the radii of the given atoms in angstroms."""
        new = index[np.isnan(self._known[index])]
        if len(new):
            columns = (self._atoms.comp_id[new], self._atoms.name[new], self._atoms.element[new])
            self._known[new] = self.by_name.of_all(*map(as_text, columns))
        return self._known[index]
