"""Build the molecule of a ligand instance."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

import numpy as np
from rdkit import Chem, rdBase
from rdkit.Chem.rdMolDescriptors import CalcMolFormula

from tethermap.base.arrays import FloatArray, IntArray
from tethermap.base.elements import is_metal
from tethermap.base.tables import by_key
from tethermap.components.component import Component
from tethermap.components.formula import spaced_formula
from tethermap.components.index import ComponentIndex
from tethermap.components.user import UserComponents
from tethermap.instance.model import Instance
from tethermap.matching.group import Link, group_reference
from tethermap.matching.residue import ObservedResidue, ResidueGraph, observed_residues
from tethermap.matching.sources import resolved
from tethermap.molecule.adduct import ProteinAtom, adduct, bond_atoms
from tethermap.molecule.dictionary import dictionary_molecule, dictionary_smiles
from tethermap.molecule.geometry import torn_bonds
from tethermap.molecule.hydrogens import hydrogen_parents, with_hydrogens
from tethermap.molecule.inchi import component_inchi, inchi_of, inchikey, key_of_inchi
from tethermap.molecule.layout2d import component_layout, molecule_layout
from tethermap.molecule.neutral import neutralised
from tethermap.molecule.protonation import forms_at_ph
from tethermap.molecule.record import BOND_SOURCES, NAME, LigandMolecule
from tethermap.molecule.stereo import TETRAHEDRAL, assign_stereo, differing_stereo, set_coordinates
from tethermap.molecule.template import Template, assemble, checked, sanitise, template

_Reference = tuple[ResidueGraph, int, Chem.Mol]
"""A residue, its first atom in the whole, and its dictionary molecule."""


def build_ligand(instance: Instance, index: ComponentIndex, user: UserComponents | None = None) -> LigandMolecule:
    """Return the molecule of a ligand instance.

    Parameters
    ----------
    instance : Instance
        The ligand as observed; it has at least one heavy atom.
    """
    parents = hydrogen_parents(instance.atoms)
    residues = observed_residues(instance, parents)
    definition = instance.definition if len(residues) == 1 else ""
    bonds = instance.entry_bonds
    graphs = [resolved(residue, bonds.get(residue.comp_id, ()), index, user, definition) for residue in residues]
    whole = _Whole(instance, graphs)
    heavy, passed = whole.heavy, whole.passed
    smiles, parent_smiles, layout = _definition(whole)
    observed_smiles, smiles_index = _smiles_with_order(heavy)
    flags, notes = _flags(residues, whole, index, user or {}, observed_smiles)
    adduct_smiles = ""
    partners = [
        ProteinAtom(whole.position[link.atom], link.partner_element, link.partner_xyz)
        for link in instance.links
        if link.kind == "covalent" and link.atom in whole.position
    ]
    if passed and partners:
        adduct_smiles, blocked = adduct(heavy, partners, whole.vacated())
        if blocked:
            flags.add("link_without_free_valence")
            notes["link_without_free_valence"] = " ".join(whole.labels[partner.atom] for partner in blocked)
    inchi, key = _inchi(graphs, smiles or observed_smiles, observed_smiles) if passed else ("", "")
    mol, hydrogens = with_hydrogens(heavy, whole.deposited_hydrogens(parents))
    return LigandMolecule(
        stem=instance.stem,
        comp_id=instance.name.comp_id,
        component_names=instance.component_names,
        title=" + ".join(filter(None, (graph.component.name for graph in graphs if graph.component))),
        synonyms=graphs[0].component.synonyms if len(graphs) == 1 and graphs[0].component else (),
        type=" + ".join(dict.fromkeys(graph.component.type for graph in graphs if graph.component)),
        formula=_formula(graphs, smiles) or spaced_formula(CalcMolFormula(heavy)),
        mol=mol,
        atom_index=np.array(whole.atom_index, dtype=np.int64),
        residue=instance.atoms.component[whole.atom_index],
        dictionary_names=tuple(name for graph in graphs for name in graph.dictionary_names),
        layout=layout,
        smiles=smiles or observed_smiles,
        parent_smiles=parent_smiles or observed_smiles,
        observed_smiles=observed_smiles,
        inchi=inchi,
        inchikey=key,
        at_ph=forms_at_ph(parent_smiles or observed_smiles),
        smiles_index=smiles_index,
        symmetry_class=np.array(list(Chem.CanonicalRankAtoms(heavy, breakTies=False)), dtype=np.int64),
        bond_source=max((graph.source for graph in graphs), key=BOND_SOURCES.index),
        atoms_missing=whole.missing,
        hydrogens=hydrogens,
        charge=Chem.GetFormalCharge(mol),
        sanitised=passed,
        smiles_adduct=adduct_smiles,
        flags=tuple(sorted(flags)),
        notes=notes,
    )


class _Whole:
    """The residues of an instance as one graph: heavy atom k of the molecule is entry k of each list."""

    def __init__(self, instance: Instance, graphs: Sequence[ResidueGraph]) -> None:
        self.instance = instance
        self.graphs = graphs
        offsets = accumulate((len(graph.atom_index) for graph in graphs), initial=0)
        self.placed = list(zip(graphs, offsets, strict=False))  # each residue with the number of its first atom
        self.atom_index = [index for graph in graphs for index in graph.atom_index]
        self.position = {index: k for k, index in enumerate(self.atom_index)}
        self.labels = [instance.atom_label(index) for index in self.atom_index]
        self.heavy, self.passed = self._molecule()

    @property
    def missing(self) -> tuple[str, ...]:
        """Labels of heavy atoms that were not observed."""
        component = self.instance.atoms.component
        prefixes = [self.instance.label_prefix(int(component[graph.atom_index[0]])) for graph in self.graphs]
        return tuple(a + name for a, graph in zip(prefixes, self.graphs, strict=True) for name in graph.missing)

    @property
    def xyz(self) -> FloatArray:
        """Deposited coordinates of the heavy atoms, shape (n_heavy, 3)."""
        return self.instance.atoms.xyz[self.atom_index]

    def links(self) -> list[tuple[int, int]]:
        """Return the bonds between residues as heavy atoms."""
        residue = {index: k for k, graph in enumerate(self.graphs) for index in graph.atom_index}
        pairs = [(self.position[a], self.position[b]) for a, b in self.instance.inner_links if residue[a] != residue[b]]
        return sorted({(min(pair), max(pair)) for pair in pairs})

    def _molecule(self) -> tuple[Chem.RWMol, bool]:
        """Return the neutral molecule of heavy atoms with coordinates and stereo, and whether it is sanitised."""
        bonds = tuple((a + offset, b + offset, order) for graph, offset in self.placed for a, b, order in graph.bonds)
        hydrogens = tuple(h for graph in self.graphs for h in graph.hydrogens or (None,) * len(graph.atom_index))
        elements = tuple(element for graph in self.graphs for element in graph.elements)
        charges = tuple(charge for graph in self.graphs for charge in graph.charges)
        if links := self.links():
            linked = assemble(elements, charges, bonds, hydrogens)
            for first, second in links:
                bond_atoms(linked, first, second)
            mol, passed = sanitise(linked)
        else:
            mol, passed = checked(elements, charges, bonds, hydrogens)
        mol = Chem.RWMol(neutralised(mol) if passed else mol)
        for atom, label in zip(mol.GetAtoms(), self.labels, strict=True):
            atom.SetProp(NAME, label)
        set_coordinates(mol, self.xyz)
        if passed:
            assign_stereo(mol)
        return mol, passed

    def vacated(self) -> dict[int, int]:
        """Return the heavy atoms that have lost a neighbour of their definition, with the order of that bond."""
        orders: dict[int, int] = {}
        for graph, offset in self.placed:
            number = {k: offset + position for position, k in enumerate(graph.origin)}
            for a, b, order in graph.shape.bonds if graph.shape else ():
                if (a in number) != (b in number):
                    atom = number[a if a in number else b]
                    orders[atom] = max(order, orders.get(atom, 0))
        return orders

    def open_bonds(self) -> list[str]:
        """Return labels of bonds to a metal, as ``A-B``, that are too long to be one."""
        return [
            f"{self.labels[offset + a]}-{self.labels[offset + b]}"
            for graph, offset in self.placed
            for a, b in graph.open_bonds
        ]

    def torn_bonds(self) -> list[str]:
        """Return labels and lengths of bonds in a user's definition that the coordinates do not show."""
        return [
            f"{self.labels[offset + a]}-{self.labels[offset + b]} {length:.2f}"
            for graph, offset in self.placed
            if graph.source in ("user", "file")
            for a, b, length in torn_bonds(self.xyz[offset:], graph.elements, graph.bonds)
        ]

    def deposited_hydrogens(self, parents: Mapping[int, int]) -> dict[int, list[tuple[str, Sequence[float]]]]:
        """Return label and place of the deposited hydrogens by heavy atom."""
        return by_key(
            (self.position[parent], (self.instance.atom_label(hydrogen), self.instance.atoms.xyz[hydrogen].tolist()))
            for hydrogen, parent in parents.items()
            if parent in self.position
        )


def _definition(whole: _Whole) -> tuple[str, str, FloatArray]:
    """Return SMILES, neutral SMILES and layout by definition, or of the observed molecule without a definition."""
    graphs, heavy = whole.graphs, whole.heavy
    shapes = [graph.shape for graph in graphs if graph.shape is not None]
    if len(shapes) < len(graphs):
        return "", "", molecule_layout(heavy)
    if len(graphs) == 1 and (component := _same_component(graphs[0])) is not None:
        smiles, parent = (dictionary_smiles(component, neutral=neutral) for neutral in (False, True))
        return smiles, parent, component_layout(component)[list(graphs[0].origin)]
    origin_of = {}
    for residue, (graph, offset) in enumerate(whole.placed):
        origin_of.update({offset + k: (residue, atom) for k, atom in enumerate(graph.origin)})
    links = tuple((*origin_of[a], *origin_of[b]) for a, b in whole.links())
    left = tuple(_left_within(graph.left, residue, shapes[residue], links) for residue, graph in enumerate(graphs))
    reference = group_reference(tuple(shapes), left, links)
    if not reference.has_stereo and len(reference.number) == heavy.GetNumAtoms():
        return "", "", molecule_layout(heavy)
    rows = [reference.number[origin_of[k]] for k in range(heavy.GetNumAtoms())]
    return reference.smiles, reference.parent_smiles, reference.layout[rows]


def _left_within(left: frozenset[int], residue: int, shape: Template, links: Sequence[Link]) -> frozenset[int]:
    """Return the atoms that a residue gave up for its links within the group, without those for the protein."""
    linked = {atom for link in links for place, atom in (link[:2], link[2:]) if place == residue}
    while near := {b if a in linked else a for a, b, _ in shape.bonds if (a in linked) != (b in linked)} & left:
        linked |= near
    return left & linked


def _inchi(graphs: Sequence[ResidueGraph], smiles: str, observed: str) -> tuple[str, str]:
    """Return InChI and InChIKey of the observed molecule; of a metal complex only the dictionary's key."""
    if not any(is_metal(element) for graph in graphs for element in graph.elements):
        return inchi_of(observed), inchikey(observed)
    component = _same_component(graphs[0]) if len(graphs) == 1 else None
    return "", (key_of_inchi(component_inchi(component)) if component else "") or inchikey(smiles)


def _formula(graphs: Sequence[ResidueGraph], smiles: str) -> str:
    """Return the formula of the definition, for a group that of its SMILES; empty without a definition."""
    if len(graphs) == 1:
        return graphs[0].component.formula if graphs[0].component else ""
    with rdBase.BlockLogs():
        mol = Chem.MolFromSmiles(smiles) if smiles else None
    return spaced_formula(CalcMolFormula(mol)) if mol is not None else ""


def _same_component(graph: ResidueGraph) -> Component | None:
    """Return the component that the residue's definition names, if any."""
    if graph.component is None or graph.shape is None or template(graph.component).names != graph.shape.names:
        return None
    return graph.component


def _flags(
    residues: Sequence[ObservedResidue], whole: _Whole, index: ComponentIndex, user: UserComponents, observed: str
) -> tuple[set[str], dict[str, str]]:
    """Return the chemical doubts about an instance, with details."""
    references = list(_references(whole, observed)) if whole.passed else []
    pairs = list(zip(residues, whole.graphs, strict=True))
    perceived = [(r, g) for r, g in pairs if g.source == "perceived"]
    unused = ((r, g) for r, g in pairs if g.component is not user.get(r.comp_id.upper(), g.component))
    unknown = (r for r in residues if (component := index.get(r.comp_id)) is None or not component.atoms)
    doubts: dict[str, Iterable[str]] = {
        "atoms_missing": whole.missing,
        "duplicate_atom_names": sorted({n for r in residues for n in r.names if r.names.count(n) > 1}),
        "not_in_dictionary": dict.fromkeys(r.comp_id for r in unknown),
        "definition_unused": dict.fromkeys(r.comp_id for r, g in unused if g.source != "file"),
        "perceived_bonds": dict.fromkeys(r.comp_id for r, g in perceived if g.shape is None),
        "strained_bonds": whole.torn_bonds() or dict.fromkeys(r.comp_id for r, g in perceived if g.shape is not None),
        "metal_bond_open": whole.open_bonds(),
        "stereo_differs": _stereo_differences(whole, references),
        "stereo_unassigned": _unassigned_centres(whole, references),
    }
    notes = {flag: " ".join(details) for flag, details in doubts.items() if details}
    return set(notes) | (set() if whole.passed else {"not_sanitised"}), notes


def _stereo_differences(whole: _Whole, references: Iterable[_Reference]) -> list[str]:
    """Return labels of centres, and of double bonds as ``A=B``, that are not as in the dictionary."""
    labels = []
    for graph, offset, reference in references:
        positions = whole.xyz[offset : offset + len(graph.origin)]
        centres, bonds = differing_stereo(positions, reference, graph.origin)
        labels += [whole.labels[offset + centre] for centre in centres]
        labels += [f"{whole.labels[offset + a]}={whole.labels[offset + b]}" for a, b in bonds]
    return labels


def _unassigned_centres(whole: _Whole, references: Iterable[_Reference]) -> list[str]:
    """Return labels of centres that the dictionary assigns and the model draws flat or between two hands."""
    labels = []
    for graph, offset, reference in references:
        observed = {theirs: offset + ours for ours, theirs in enumerate(graph.origin)}
        for atom in reference.GetAtoms():
            near = [other.GetIdx() for other in atom.GetNeighbors()]
            if atom.GetChiralTag() in TETRAHEDRAL and all(index in observed for index in (atom.GetIdx(), *near)):
                centre = whole.heavy.GetAtomWithIdx(observed[atom.GetIdx()])
                if centre.GetChiralTag() not in TETRAHEDRAL and centre.GetHybridization() == Chem.HybridizationType.SP3:
                    labels.append(whole.labels[observed[atom.GetIdx()]])
    return labels


def _references(whole: _Whole, observed_smiles: str) -> Iterator[_Reference]:
    """Yield each residue with its first atom and its dictionary molecule, where stereo can be compared with it."""
    for graph, offset in whole.placed:
        component = _same_component(graph)
        reference = dictionary_molecule(component, neutral=True) if component else None
        if component and reference and reference.GetNumConformers():
            same = len(whole.graphs) == 1 and observed_smiles == dictionary_smiles(component, neutral=True)
            if not same:
                yield graph, offset, reference


def _smiles_with_order(heavy: Chem.Mol) -> tuple[str, IntArray]:
    """Return the isomeric SMILES of a molecule and the position of each atom in it."""
    smiles = Chem.MolToSmiles(heavy)
    order = json.loads(heavy.GetProp("_smilesAtomOutputOrder").replace(",]", "]"))
    positions = np.full(heavy.GetNumAtoms(), -1, dtype=np.int64)
    positions[order] = np.arange(len(order))
    return smiles, positions
