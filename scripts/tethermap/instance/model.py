"""A ligand instance as passed between the stages: entry, instance, atoms, links."""

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tethermap.base.arrays import BytesArray, FloatArray, IntArray
from tethermap.entry.model import EntryBond
from tethermap.fit.model import NO_FIT, LigandFit


@dataclass(frozen=True, slots=True)
class Residue:
    """One residue by the names of the deposition.

    Parameters
    ----------
    auth_asym_id, label_asym_id : str
        Author and mmCIF chain names; the latter is empty for PDB files.
    comp_id : str
        Component code, 1 to 5 characters.
    auth_seq_id : int
        Author residue number.
    ins_code : str
        Insertion code, empty when there is none.
    """

    auth_asym_id: str
    label_asym_id: str
    comp_id: str
    auth_seq_id: int
    ins_code: str = ""

    @property
    def residue_id(self) -> str:
        """Author number and insertion code: ``200``, ``-3``, ``60A``."""
        return f"{self.auth_seq_id}{self.ins_code}"


def chain_of_copy(chain: str, copy_name: str) -> str:
    """Return the name of a chain in a copy by symmetry: ``A-2_655``; of the deposited chain its own.

    >>> chain_of_copy("A", "2_655"), chain_of_copy("A", "")
    ('A-2_655', 'A')
    """
    return f"{chain}-{copy_name}" if copy_name else chain


@dataclass(frozen=True, slots=True)
class LigandAtoms:
    """The atoms of one conformer of an instance in deposited order, hydrogens included.

    Parameters
    ----------
    component : ndarray of int, shape (n_atoms,)
        Index of the atom's residue in `Instance.components`.
    name, element : tuple of str
        Deposited atom name; element symbol as in ``Cl`` (``D`` for deuterium).
    xyz : ndarray of float, shape (n_atoms, 3)
        Deposited coordinates in angstroms.
    occupancy, b_iso : ndarray of float, shape (n_atoms,)
        As deposited; B in square angstroms, NaN if missing.
    charge : ndarray of int, shape (n_atoms,)
        Deposited formal charge, 0 if not given.
    altloc : tuple of str
        Label of the alternate location, empty for atoms without.
    serial : ndarray of int, shape (n_atoms,)
        Serial number in the cleaned complex; 0 for hydrogens, which are not in it.
    """

    component: IntArray
    name: tuple[str, ...]
    element: tuple[str, ...]
    xyz: FloatArray
    occupancy: FloatArray
    b_iso: FloatArray
    charge: IntArray
    altloc: tuple[str, ...]
    serial: IntArray

    def __len__(self) -> int:
        return len(self.name)

    @property
    def heavy(self) -> IntArray:
        """Indices of the atoms that are not hydrogen, in deposited order."""
        return np.array([i for i, e in enumerate(self.element) if e not in ("H", "D")], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Link:
    """A covalent or metal bond from an instance to an atom outside it.

    Parameters
    ----------
    atom : int
        Index of the ligand's atom in `Instance.atoms`.
    partner : Residue
        Residue on the other side.
    partner_atom, partner_element : str
        Atom of the residue.
    partner_xyz : tuple of float
        Its coordinates in angstroms, in the frame of the instance.
    distance : float
        Bond length in angstroms.
    kind : str
        ``covalent`` or ``metal``.
    declared : bool
        Whether the deposition declares it (LINK, struct_conn), else found by distance.
    """

    atom: int
    partner: Residue
    partner_atom: str
    partner_element: str
    partner_xyz: tuple[float, float, float]
    distance: float
    kind: str
    declared: bool

    @property
    def partner_label(self) -> str:
        """The residue and atom that the ligand is bonded to: ``SER A 195 OG``."""
        residue = self.partner
        return f"{residue.comp_id} {residue.auth_asym_id} {residue.residue_id} {self.partner_atom}"


@dataclass(frozen=True, slots=True)
class Water:
    """The oxygen of a water near an instance: author chain, residue id, component, place in angstroms."""

    chain: str
    residue_id: str
    comp_id: str
    xyz: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Lysine:
    """An exposed lysine of the target near an instance.

    Parameters
    ----------
    chain, residue_id : str
        Author chain, and number with insertion code.
    copy_name : str
        Empty for the deposited copy, else the operator's name.
    uniprot : str
        Accession and number (``P00533:745``), empty if unknown.
    xyz : tuple of float
        Its NZ in angstroms, in the frame of the instance.
    area : float
        Area of the NZ that the assembly leaves open, in square angstroms.
    """

    chain: str
    residue_id: str
    copy_name: str
    uniprot: str
    xyz: tuple[float, float, float]
    area: float


@dataclass(frozen=True, slots=True)
class EntryFacts:
    """Facts about the entry in tables of instances; empty or None if missing.

    Parameters
    ----------
    resolution : float or None
        Best resolution in angstroms.
    method : str
        Experimental method as deposited, upper case (``X-RAY DIFFRACTION``).
    title : str
        Title of the entry.
    release_date : str
        ISO date of the first release.
    confidence_scale : float
        Factor from the B factors of a prediction to its pLDDT of 0 to 100; 0 if they are B factors.
    aligned_error : float or None
        Expected error in angstroms of a predicted ligand's position relative to the residues around it.
    source_file : str
        The user's name of the file that the ligand comes from; empty for deposited entries.
    source_record : int or None
        Number of its record or model in the file, from 1.
    pose_rank : int or None
        Rank among the poses of its molecule; None if it is not a pose.
    pose_fields : dict of str to str
        Scores and other fields of the pose's record.
    """

    resolution: float | None = None
    method: str = ""
    title: str = ""
    release_date: str = ""
    confidence_scale: float = 0.0
    aligned_error: float | None = None
    source_file: str = ""
    source_record: int | None = None
    pose_rank: int | None = None
    pose_fields: dict[str, str] = field(default_factory=dict)

    @property
    def docked(self) -> bool:
        """Whether a program has placed the ligand: it has no occupancy, B factor or resolution."""
        return self.pose_rank is not None


@dataclass(frozen=True, slots=True)
class Polymer:
    """A polymer next to an instance: its name, the author names of its chains, and whether it is the target."""

    name: str
    chains: tuple[str, ...]
    target: bool


@dataclass(frozen=True, slots=True)
class Instance:
    """One ligand in one place, with all data for later stages.

    Parameters
    ----------
    entry_id : str
        Lower-case entry id.
    stem : str
        File name without extension, shared by its PDB, SDF and SVG files.
    components : tuple of Residue
        Residues of the ligand; more than one for a covalently linked group.
    head : int
        Index in `components` of the one that names the group (the heaviest).
    kind : str
        Kind of ligand (`tethermap.base.reasons.KINDS`).
    atoms : LigandAtoms
        The chosen conformer.
    inner_links : tuple of (int, int)
        Bonds between its components, as indices in `atoms`.
    links : tuple of Link
        Bonds to polymer residues and metals outside.
    altloc : str
        Label of the chosen conformer, empty when there is one only.
    target_chains : tuple of str
        Author names of the target chains within reach, the nearest first.
    pdb_comp_id, pdb_chain_id : str
        Names of the head component and its chain as written in the cleaned PDB file.
    entry_bonds : dict of str to tuple of EntryBond
        The entry's own bonds by component id; empty when it has none.
    facts : EntryFacts
        Facts about the entry, repeated in the tables.
    flags : tuple of str
        Codes of `tethermap.base.reasons.FLAGS`, sorted.
    notes : dict of str to str
        Detail of a flag by its code (atom names, distances).
    fit : LigandFit
        Fit to the experiment, from the validation report of its entry.
    uniprot : dict of str to str
        UniProt accession and number (``P00533:790``) of the polymer residues around it, by author
        chain and residue id (``A 790``).
    mutations, mutations_near : tuple of str
        Mutations of the target chains within reach (``T790M``), and those of them near the ligand.
    waters : tuple of Water
        Waters of the deposited copy within reach of a hydrogen bond, in the ligand's conformer.
    polymers : tuple of Polymer
        The polymers of its assembly near it, in file order.
    lysines : tuple of Lysine
        Exposed lysines of the target chains next to it, the nearest first.
    definition : str
        Definition of its bonds in the ligand's own file: CIF text of a component, or a SMILES; else empty.
    conect : tuple of (int, int, int)
        Bonds of its components by ``CONECT`` records, as indices in `atoms`, with the number of mentions in one record.
    """

    entry_id: str
    stem: str
    components: tuple[Residue, ...]
    head: int
    kind: str
    atoms: LigandAtoms
    inner_links: tuple[tuple[int, int], ...]
    links: tuple[Link, ...]
    altloc: str
    target_chains: tuple[str, ...]
    pdb_comp_id: str
    pdb_chain_id: str
    entry_bonds: dict[str, tuple[EntryBond, ...]] = field(default_factory=dict)
    facts: EntryFacts = EntryFacts()
    flags: tuple[str, ...] = ()
    notes: dict[str, str] = field(default_factory=dict)
    fit: LigandFit = NO_FIT
    uniprot: dict[str, str] = field(default_factory=dict)
    mutations: tuple[str, ...] = ()
    mutations_near: tuple[str, ...] = ()
    waters: tuple[Water, ...] = ()
    polymers: tuple[Polymer, ...] = ()
    lysines: tuple[Lysine, ...] = ()
    definition: str = ""
    conect: tuple[tuple[int, int, int], ...] = ()

    @property
    def name(self) -> Residue:
        """The residue that names the instance in tables and files."""
        return self.components[self.head]

    @property
    def cells(self) -> dict[str, str]:
        """Cells that name the instance in tables."""
        name = self.name
        place = {"Chain": name.auth_asym_id, "Warhead": name.comp_id, "Residue_ID": name.residue_id}
        return {"pdb_id": self.entry_id, **place, "stem": self.stem}

    @property
    def component_names(self) -> str:
        """All components joined by ``+``."""
        return "+".join(residue.comp_id for residue in self.components)

    @property
    def mean_plddt(self) -> float | None:
        """Mean confidence of the heavy atoms of a prediction, 0 to 100; None for experimental structures."""
        scale, mean = self.facts.confidence_scale, self._mean_of_column
        return mean * scale if scale and mean is not None else None

    @property
    def mean_b(self) -> float | None:
        """Mean B factor of the heavy atoms; None if one has no B factor, for predictions and docked ligands."""
        return None if self.facts.docked or self.facts.confidence_scale else self._mean_of_column

    @property
    def _mean_of_column(self) -> float | None:
        mean = float(np.mean(self.atoms.b_iso[self.atoms.heavy]))
        return None if math.isnan(mean) else mean

    def atom_label(self, index: int) -> str:
        """Return the name of an atom, prefixed by its residue in a group of several."""
        return self.label_prefix(int(self.atoms.component[index])) + self.atoms.name[index]

    @property
    def residue_names(self) -> list[str]:
        """Name, chain and number of each component: ``02J C1``."""
        return [f"{part.comp_id} {part.auth_asym_id}{part.residue_id}" for part in self.components]

    def label_prefix(self, component: int) -> str:
        """Return the prefix of the names of a component's atoms: ``GLC1.``, empty in a group of one.

        If another chain of the group has the same component and number, the prefix also names the chain: ``GLC1:B.``.
        """
        if len(self.components) == 1:
            return ""
        residue = self.components[component]
        names = [(other.comp_id, other.residue_id) for other in self.components]
        chain = f":{residue.auth_asym_id}" if names.count((residue.comp_id, residue.residue_id)) > 1 else ""
        return f"{residue.comp_id}{residue.residue_id}{chain}."


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """The heavy atoms around an instance, near enough to change its exposure.

    The contexts are nested, so one number per atom gives the contexts that contain it.

    Parameters
    ----------
    xyz : ndarray of float, shape (n_atoms, 3)
        Coordinates in angstroms, in the frame of the instance.
    element : ndarray of str, shape (n_atoms,)
        Element symbols.
    comp_id, atom_name : ndarray of str, shape (n_atoms,)
        Component and atom names, for the radius.
    auth_asym_id, residue_id : ndarray of str, shape (n_atoms,)
        Author chain and residue number with insertion code.
    copy_name : ndarray of str, shape (n_atoms,)
        Empty for the deposited copy, else the operator's name.
    context : ndarray of int, shape (n_atoms,)
        Index in `tethermap.base.contexts.CONTEXTS` of the smallest context that contains the atom.
    largest : int
        Index in `tethermap.base.contexts.CONTEXTS` of the largest context that is defined (NMR has no crystal).
    """

    xyz: FloatArray
    element: npt.NDArray[np.str_]
    comp_id: npt.NDArray[np.str_]
    atom_name: npt.NDArray[np.str_]
    auth_asym_id: npt.NDArray[np.str_]
    residue_id: npt.NDArray[np.str_]
    copy_name: npt.NDArray[np.str_]
    context: IntArray
    largest: int

    def __len__(self) -> int:
        return len(self.element)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The heavy atoms farther around an instance, as far as a linker may meet them; a superset of its neighbourhood.

    Parameters
    ----------
    xyz : ndarray of float32, shape (n_atoms, 3)
        Coordinates in angstroms, in the frame of the instance.
    element : ndarray of bytes, shape (n_atoms,)
        Element symbols.
    context : ndarray of int8, shape (n_atoms,)
        Index in `tethermap.base.contexts.CONTEXTS` of the smallest context that contains the atom.
    largest : int
        Index in `tethermap.base.contexts.CONTEXTS` of the largest context that is defined.
    """

    xyz: npt.NDArray[np.float32]
    element: BytesArray
    context: npt.NDArray[np.int8]
    largest: int
