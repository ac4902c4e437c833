"""Radii against FreeSASA's own table of the same publication, and the classes by hand."""

import freesasa
import gemmi
import numpy as np
import pytest
from rdkit import Chem

from tests.tools.cleaning import Find
from tethermap.exposure.radii import PolymerRadii, RadiusTable

AMINO_ACIDS = gemmi.expand_one_letter_sequence("ARNDCQEGHILKMFPSTWYV", gemmi.ResidueKind.AA)


@pytest.fixture(scope="module")
def table() -> RadiusTable:
    return RadiusTable()


@pytest.mark.parametrize("comp_id", AMINO_ACIDS)
def test_amino_acids_have_the_radii_of_freesasas_table(comp_id: str, find: Find) -> None:
    """FreeSASA ships ProtOr (Tsai et al. 1999) as its default classifier, typed in independently."""
    protor = freesasa.Classifier.getStandardClassifier("protor")
    component = find(comp_id)
    assert component is not None
    polymer = PolymerRadii(find)
    names = [a.name for a in component.atoms if a.element != "H"]
    ours = {name: polymer.of(comp_id, name, component.atoms[i].element) for i, name in enumerate(names)}
    theirs = {name: protor.radius(comp_id, name) for name in names}
    # FreeSASA counts the second oxygen of a carboxylate (OXT, OD2, OE2) as bearing the hydrogen, as we do.
    assert ours == pytest.approx(theirs)


@pytest.mark.parametrize(
    ("smiles", "atom", "radius"),
    [
        *(("C=O", 0, 1.76), ("C#C", 0, 1.76), ("c1ccccc1", 0, 1.76)),  # sp2 or sp carbon with hydrogen, =CH2 too
        *(("CC(C)=O", 1, 1.61), ("CC#N", 1, 1.61)),  # sp2 or sp carbon without
        *(("CC", 0, 1.88), ("CC(C)(C)C", 1, 1.88)),
        *(("CC(C)=O", 3, 1.42), ("CO", 1, 1.46), ("COC", 1, 1.46)),  # carbonyl, hydroxyl, ether
        *(("CN", 1, 1.64), ("CS", 1, 1.77), ("OP(O)(O)=O", 1, 1.80), ("C[Se]C", 1, 1.90), ("[Zn]", 0, 2.39)),
        *(("CF", 1, 1.47), ("CCl", 1, 1.75), ("CBr", 1, 1.85), ("CI", 1, 1.98)),
    ],
)
def test_radius_follows_hybridisation_and_hydrogens(smiles: str, atom: int, radius: float, table: RadiusTable) -> None:
    molecule = Chem.AddHs(Chem.MolFromSmiles(smiles))
    assert table.of_atom(molecule.GetAtomWithIdx(atom)) == radius
    assert table.of_atom(Chem.RemoveHs(molecule).GetAtomWithIdx(atom)) == radius


def test_unknown_atom_name_falls_back_to_its_element(find: Find) -> None:
    assert PolymerRadii(find).of("ALA", "no such atom", "N") == 1.64


def test_largest_radius_bounds_the_radius_of_every_class(table: RadiusTable) -> None:
    assert table.largest_of(np.array([b"C", b"O", b"Zn", b"X"])).tolist() == [1.88, 1.46, 2.39, 1.88]
