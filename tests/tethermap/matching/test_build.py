"""Molecules of ligands: bonds by each source, missing atoms, hydrogens, stereo, independence of order."""

import dataclasses
from collections.abc import Callable, Sequence
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from rdkit import Chem
from scipy.spatial.transform import Rotation

from tests.tools.components import Known, component_of, ideal_instance, without_stereo
from tethermap.base.arrays import FloatArray
from tethermap.components.component import Component
from tethermap.components.index import ComponentIndex
from tethermap.components.user import component_from_smiles
from tethermap.entry.model import EntryBond
from tethermap.instance.model import Instance
from tethermap.matching.build import build_ligand
from tethermap.molecule.dictionary import dictionary_smiles
from tethermap.molecule.record import LigandMolecule
from tethermap.molecule.template import template

RealLigand = Callable[[str, str], Instance]

MIRROR_IMAGE = np.diag([1.0, 1.0, -1.0])


NOTHING = Mock(spec=ComponentIndex, get=lambda _: None)
"""An index that knows no component."""


def test_amprenavir_of_1hpv(real_ligand: RealLigand, index: ComponentIndex) -> None:
    instance = real_ligand("1hpv", "478")
    record = build_ligand(instance, index)
    assert record.bond_source == "dictionary"
    assert record.inchikey == "YMARZQAQMVYCKC-OEMFJLHTSA-N"  # of amprenavir, PubChem CID 65016
    assert (record.atoms_missing, record.flags) == ((), ())
    positions = record.mol.GetConformer().GetPositions()[: record.n_heavy]
    assert (positions == instance.atoms.xyz[record.atom_index]).all()


def test_guanidinobenzoyl_of_1gbt_is_matched_by_its_graph(real_ligand: RealLigand, index: ComponentIndex) -> None:
    """GBS was redefined since: its deposited names are other atoms now."""
    instance = real_ligand("1gbt", "GBS")
    record = build_ligand(instance, index)
    assert record.bond_source == "matched"
    assert record.observed_smiles == "N=C(N)Nc1ccc(C=O)cc1"
    assert record.smiles_adduct == "*OC(=O)c1ccc(NC(=N)N)cc1"
    assert record.atoms_missing == ()  # the acid's hydroxyl left
    named = dict(zip(record.names, record.dictionary_names, strict=True))
    assert (named["CD"], named["CZ"], named["NE"]) == ("C6", "C18", "N2")


@pytest.mark.parametrize("comp_id", ["STI", "JQ1", "FK5", "HEM", "NAG", "ATP", "A1ECV", "478", "RIT", "SF4", "NAD"])
def test_complete_ligand_is_the_neutral_dictionary_molecule(comp_id: str, known: Known, index: ComponentIndex) -> None:
    component = known(comp_id)
    record = build_ligand(ideal_instance(component), index)
    assert record.sanitised
    assert record.names == tuple(a.name for a in component.atoms if a.element != "H")
    assert record.observed_smiles == record.parent_smiles == dictionary_smiles(component, neutral=True)
    assert record.smiles == dictionary_smiles(component, neutral=False)
    assert (record.title, record.type, record.formula) == (component.name, component.type, component.formula)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), comp_id=st.sampled_from(["STI", "478", "FK5", "NAG", "JQ1"]), seed=st.integers(0, 2**32 - 1))
def test_result_does_not_depend_on_the_order_in_the_file_or_the_frame(
    data: st.DataObject, comp_id: str, seed: int, known: Known, index: ComponentIndex
) -> None:
    component = known(comp_id)
    plain = build_ligand(ideal_instance(component), index)
    order = data.draw(st.permutations(range(plain.n_heavy)))
    turn = Rotation.random(rng=np.random.default_rng(seed)).as_matrix()
    record = build_ligand(ideal_instance(component, order=order, turn=turn), index)
    assert record.names == plain.names
    assert (record.observed_smiles, record.inchikey) == (plain.observed_smiles, plain.inchikey)
    assert record.smiles_index.tolist() == plain.smiles_index.tolist()
    assert record.symmetry_class.tolist() == plain.symmetry_class.tolist()
    assert (record.layout == plain.layout).all()
    assert [order[i] for i in record.atom_index] == plain.atom_index.tolist()


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), comp_id=st.sampled_from(["STI", "478", "JQ1", "HEM"]))
def test_matched_molecule_does_not_depend_on_names_or_order(
    data: st.DataObject, comp_id: str, known: Known, index: ComponentIndex
) -> None:
    component = known(comp_id)
    names = [atom.name for atom in component.atoms if atom.element != "H"]
    order = data.draw(st.permutations(range(len(names))))
    renamed = {name: f"X{place}" for place, name in enumerate(data.draw(st.permutations(names)))}
    record = build_ligand(ideal_instance(component, order=order, renamed=renamed), index)
    assert record.bond_source == "matched"
    assert record.observed_smiles == dictionary_smiles(component, neutral=True)


def test_missing_atoms_are_named_and_their_valences_filled(known: Known, index: ComponentIndex) -> None:
    record = build_ligand(ideal_instance(known("STI"), omit=["C53", "N51"]), index)
    assert record.bond_source == "dictionary"
    assert set(record.atoms_missing) == {"C53", "N51"} & {a.name for a in known("STI").atoms}
    assert "atoms_missing" in record.flags
    assert record.sanitised


def test_acid_with_one_observed_oxygen_keeps_its_carbonyl(known: Known, index: ComponentIndex) -> None:
    """The choice of the unobserved one of the two oxygens has no meaning."""
    for name in ("O1", "O2"):
        record = build_ligand(ideal_instance(known("PLM"), omit=[name]), index)
        assert record.observed_smiles == "CCCCCCCCCCCCCCCC=O"


def test_alternative_names_are_used_as_a_whole(known: Known, index: ComponentIndex) -> None:
    component = known("ATP")
    alternative = {a.name: a.alt_name for a in component.atoms if a.alt_name != a.name}
    record = build_ligand(ideal_instance(component, renamed=alternative), index)
    assert record.bond_source == "dictionary_alt"
    assert record.observed_smiles == dictionary_smiles(component, neutral=True)
    mixed = build_ligand(ideal_instance(component, renamed=dict(list(alternative.items())[:3])), index)
    assert mixed.bond_source == "matched"  # some names old, some new: neither set counts


@pytest.mark.parametrize(
    ("renamed", "duplicates"),
    [
        ({"C1": "C29", "C29": "C1"}, None),  # carbons at opposite ends: elements agree, lengths do not
        ({"C1": "N3", "N3": "C1"}, None),  # other elements
        ({"C1": "C99"}, None),  # not all names
        ({"C2": "C1"}, "C1"),
    ],
)
def test_only_all_names_with_their_elements_and_possible_bonds_count(
    renamed: dict[str, str], duplicates: str | None, known: Known, index: ComponentIndex
) -> None:
    record = build_ligand(ideal_instance(known("STI"), renamed=renamed), index)
    assert record.bond_source == "matched"
    assert record.notes.get("duplicate_atom_names") == duplicates
    assert record.observed_smiles == dictionary_smiles(known("STI"), neutral=True)


def _entry_bonds(component: Component) -> tuple[EntryBond, ...]:
    names = [atom.name for atom in component.atoms]
    orders = {1: "sing", 2: "doub", 3: "trip"}
    return tuple(EntryBond(names[b.first], names[b.second], orders[b.order], b.aromatic) for b in component.bonds)


@pytest.mark.parametrize("comp_id", ["FX5", "NAD", "JQ1", "NBZ", "PO4", "ATP"])
@pytest.mark.parametrize("defined", [True, False])
def test_bonds_of_the_entry_come_first_and_suffice_for_an_unknown_component(
    comp_id: str, known: Known, index: ComponentIndex, *, defined: bool
) -> None:
    """Charges are those of the index, or follow from the sum of bond orders, hydrogens included."""
    component = known(comp_id)
    instance = dataclasses.replace(ideal_instance(component), entry_bonds={comp_id: _entry_bonds(component)})
    record = build_ligand(instance, index if defined else NOTHING)
    assert record.bond_source == "entry"
    assert record.observed_smiles == dictionary_smiles(component, neutral=True)
    assert ("not_in_dictionary" in record.flags) != defined


def test_bond_of_the_entry_that_differs_from_the_index_wins(known: Known, index: ComponentIndex) -> None:
    component = known("ACE")
    bonds = tuple(
        dataclasses.replace(bond, order="sing") if bond.order == "doub" else bond for bond in _entry_bonds(component)
    )
    extra = (EntryBond("C", "HX1", "sing", aromatic=False), EntryBond("O", "HX2", "sing", aromatic=False))
    instance = dataclasses.replace(ideal_instance(component), entry_bonds={"ACE": bonds + extra})
    record = build_ligand(instance, index)
    assert record.observed_smiles == "CCO"
    assert record.charge == 0


def test_users_definition_precedes_perception(known: Known) -> None:
    instance = ideal_instance(known("STI"), renamed={"C1": "XX"})
    user = {"STI": component_from_smiles("STI", "Cc1ccc(NC(=O)c2ccc(CN3CCN(C)CC3)cc2)cc1Nc1nccc(-c2cccnc2)n1")}
    record = build_ligand(instance, NOTHING, user)
    assert record.bond_source == "user"
    assert record.observed_smiles == dictionary_smiles(known("STI"), neutral=True)
    assert "not_in_dictionary" in record.flags
    assert "definition_unused" not in record.flags


@pytest.mark.parametrize(
    ("smiles", "fits"), [("CCO", False), ("CCCCCC", False), ("OCCn1ccnc1", False), ("c1ccccc1", True)]
)
def test_unfit_definition_is_flagged(known: Known, index: ComponentIndex, smiles: str, *, fits: bool) -> None:
    record = build_ligand(ideal_instance(known("BNZ")), index, {"BNZ": component_from_smiles("BNZ", smiles)})
    assert record.bond_source == ("user" if fits else "dictionary")
    assert ("definition_unused" in record.flags) == (not fits)


def test_numbers_of_atoms_do_not_place_double_bonds() -> None:
    """Atoms may be numbered from the other end than in the SMILES; the names then fit atoms of the wrong lengths."""
    pentene = component_from_smiles("PTE", "C=CCCC")
    instance = ideal_instance(pentene, renamed={f"C{k}": f"C{6 - k}" for k in range(1, 6)})
    record = build_ligand(instance, NOTHING, {"PTE": pentene})
    assert (record.bond_source, record.observed_smiles) == ("user", "C=CCCC")
    (double,) = (bond for bond in record.mol.GetBonds() if bond.GetBondType() == Chem.BondType.DOUBLE)
    assert {record.names[double.GetBeginAtomIdx()], record.names[double.GetEndAtomIdx()]} == {"C4", "C5"}


@pytest.mark.parametrize("comp_id", ["SKM", "WDI", "XGE", "I18", "HVD", "I5I", "ION"])
@pytest.mark.parametrize("order", [1, -1])
def test_double_bonds_of_a_smiles_are_where_the_geometry_has_them(
    known: Known, index: ComponentIndex, comp_id: str, order: int
) -> None:
    """The skeleton of each can be read in two directions, and a SMILES without stereo has no ideal coordinates."""
    component = known(comp_id)
    instance = ideal_instance(component, order=range(len(template(component)))[::order])
    smiles = without_stereo(dictionary_smiles(component, neutral=True))
    made = build_ligand(instance, NOTHING, {comp_id: component_from_smiles(comp_id, smiles)})
    assert made.bond_source == "user"

    def double_bonds(molecule: LigandMolecule) -> set[frozenset[str]]:
        labels = [instance.atom_label(atom) for atom in molecule.atom_index]
        bonds = (bond for bond in molecule.mol.GetBonds() if bond.GetBondType() == Chem.BondType.DOUBLE)
        return {frozenset((labels[bond.GetBeginAtomIdx()], labels[bond.GetEndAtomIdx()])) for bond in bonds}

    assert double_bonds(made) == double_bonds(build_ligand(instance, index))


def test_unknown_component_is_perceived_and_flagged(known: Known) -> None:
    record = build_ligand(ideal_instance(known("STI")), NOTHING)
    assert record.bond_source == "perceived"
    assert {"perceived_bonds", "not_in_dictionary"} <= set(record.flags)
    assert record.observed_smiles == dictionary_smiles(known("STI"), neutral=True)


@pytest.mark.parametrize("by_smiles", [True, False])
def test_centres_of_a_mirror_image_are_named(known: Known, index: ComponentIndex, *, by_smiles: bool) -> None:
    """A definition by SMILES is that of a user's ligand, whose atoms bear the model's names."""
    component = known("478")
    user = {"478": component_from_smiles("478", dictionary_smiles(component, neutral=True))}
    sources = (NOTHING, user) if by_smiles else (index, None)
    inverted = build_ligand(ideal_instance(component, turn=MIRROR_IMAGE), *sources)
    assert inverted.bond_source == ("user" if by_smiles else "dictionary")
    centres = {atom.name for atom in component.atoms if atom.stereo in "RS" and atom.element == "C"}
    assert set(inverted.notes["stereo_differs"].split()) == centres
    assert inverted.inchikey != "YMARZQAQMVYCKC-OEMFJLHTSA-N"
    assert "stereo_differs" not in build_ligand(ideal_instance(component), *sources).flags


def test_mirror_image_of_an_achiral_ligand_is_the_same(known: Known, index: ComponentIndex) -> None:
    assert build_ligand(ideal_instance(known("STI"), turn=MIRROR_IMAGE), index).flags == ()


def shifted(instance: Instance, names: Sequence[str], by: FloatArray) -> Instance:
    """Return an instance with some atoms moved, in angstroms."""
    xyz = instance.atoms.xyz.copy()
    xyz[[instance.atoms.name.index(name) for name in names]] += by
    return dataclasses.replace(instance, atoms=dataclasses.replace(instance.atoms, xyz=xyz))


def test_flat_centre_has_no_hand(known: Known, index: ComponentIndex) -> None:
    instance = ideal_instance(known("ALA"))
    place = dict(zip(instance.atoms.name, instance.atoms.xyz, strict=True))
    middle = (place["N"] + place["C"] + place["CB"]) / 3
    record = build_ligand(shifted(instance, ["CA"], middle - place["CA"]), index)
    assert record.notes == {"stereo_unassigned": "CA"}


def test_double_bond_is_flagged_by_its_atoms(real_ligand: RealLigand, index: ComponentIndex) -> None:
    """The amidoxime of 4CUP has the other orientation than in the dictionary."""
    record = build_ligand(real_ligand("4cup", "ZYB"), index)
    assert record.notes == {"stereo_differs": "C6=N1"}
    assert record.observed_smiles == "N/C(=N/O)c1ccc(F)cc1"
    assert record.parent_smiles == "N/C(=N\\O)c1ccc(F)cc1"


def test_open_bond_to_a_metal_is_left_out(known: Known, index: ComponentIndex) -> None:
    instance = ideal_instance(known("MMC"))  # methyl mercury
    apart = instance.atoms.xyz[1] - instance.atoms.xyz[0]
    record = build_ligand(shifted(instance, instance.atoms.name[1:], 2.0 * apart / np.linalg.norm(apart)), index)
    assert record.bond_source == "dictionary"
    assert "metal_bond_open" in record.flags
    assert record.mol.GetBondBetweenAtoms(0, 1) is None


def test_deposited_hydrogens_are_kept(index: ComponentIndex) -> None:
    methanol = component_of("MOH", [("C", "C", (0, 0, 0)), ("O", "O", (1.43, 0, 0))], [("C", "O", 1)])
    hydrogens = [("H1", "H", (-0.36, 1.03, 0.0)), ("H2", "D", (-0.36, -0.51, 0.89)), ("H3", "H", (-0.36, -0.51, -0.89))]
    hydrogens += [("HO", "H", (1.75, 0.9, 0.0))]
    record = build_ligand(ideal_instance(methanol, hydrogens=hydrogens), index)
    assert record.hydrogens == "deposited"
    assert record.observed_smiles == "CO"  # deuterium is hydrogen
    assert record.labels == ("C", "O", "H1", "H2", "H3", "HO")
    assert tuple(record.mol.GetConformer().GetPositions()[5]) == (1.75, 0.9, 0.0)
    partly = build_ligand(ideal_instance(methanol, hydrogens=hydrogens[:2]), index)
    assert partly.hydrogens == "mixed"
    assert partly.mol.GetNumAtoms() == 6
    assert build_ligand(ideal_instance(methanol), index).hydrogens == "added"


def test_surplus_hydrogens_of_a_charged_form_are_left_out(index: ComponentIndex) -> None:
    """A deposited ammonium is written as the neutral amine."""
    amine = component_of("NME", [("C", "C", (0, 0, 0)), ("N", "N", (1.47, 0, 0))], [("C", "N", 1)])
    hydrogens = [("H1", "H", (1.8, 0.95, 0.0)), ("H2", "H", (1.8, -0.48, 0.82)), ("H3", "H", (1.8, -0.48, -0.82))]
    record = build_ligand(ideal_instance(amine, hydrogens=hydrogens), index)
    assert record.observed_smiles == "CN"
    assert record.labels[2:4] == ("H1", "H2")
    assert record.mol.GetNumAtoms() == 7


def test_molecule_that_does_not_sanitise_is_kept(known: Known, index: ComponentIndex) -> None:
    record = build_ligand(ideal_instance(known("08T")), index)
    assert not record.sanitised
    assert "not_sanitised" in record.flags
    assert record.n_heavy == sum(atom.element != "H" for atom in known("08T").atoms)
    assert record.inchikey == ""


def test_unknown_element_is_not_an_obstacle(index: ComponentIndex) -> None:
    record = build_ligand(ideal_instance(component_of("UNX", [("UNK", "X", (0, 0, 0))], [])), index)
    assert record.n_heavy == 1
    assert record.observed_smiles == "*"


def test_smiles_index_counts_heavy_atoms_of_the_smiles(known: Known, index: ComponentIndex) -> None:
    record = build_ligand(ideal_instance(known("478")), index)
    mol = Chem.MolFromSmiles(record.observed_smiles)
    for k, place in enumerate(record.smiles_index.tolist()):
        assert mol.GetAtomWithIdx(place).GetSymbol() == record.mol.GetAtomWithIdx(k).GetSymbol()
    assert sorted(record.smiles_index.tolist()) == list(range(record.n_heavy))


def test_equivalent_atoms_share_a_symmetry_class(index: ComponentIndex, known: Known) -> None:
    record = build_ligand(ideal_instance(known("BNZ")), index)
    assert len(set(record.symmetry_class.tolist())) == 1


def test_names_are_trusted_if_a_poor_model_breaks_a_bond(known: Known, index: ComponentIndex) -> None:
    """The propionates of the haems in 4HHB have bonds of 2.3 Å; names still identify the atoms."""
    component = known("HEM")
    instance = ideal_instance(component)
    far, near = (instance.atoms.xyz[instance.atoms.name.index(name)] for name in ("CGA", "CBA"))
    record = build_ligand(shifted(instance, ["CGA", "O1A", "O2A"], 0.55 * (far - near)), index)
    assert record.observed_smiles == record.parent_smiles == dictionary_smiles(component, neutral=True)
    assert record.bond_source == "perceived"
    assert record.notes == {"strained_bonds": "HEM"}
