"""Every ligand of the mirror against RDKit's template assignment, an independent method."""

from collections import Counter
from pathlib import Path

from rdkit import Chem, rdBase

from tests.tools.cleaning import Sample
from tests.tools.template_path import canonical, template_smiles
from tethermap.components.index import ComponentIndex
from tethermap.instance.model import Instance
from tethermap.molecule.flat import without_hydrogens
from tethermap.molecule.record import LigandMolecule

MOST_OF_ENTRY = 200
"""Ligands with the entry's own bonds that are compared; of the others all are."""

EXPLAINED = {
    # the cobalt–carbon bond is 2.8 Å long here: the template wants it
    "4gxy_A_B1Z_301": "open bond",
    # RDKit bonds the irons of a cluster, 2.7 Å apart, to each other
    "1fdo_A_SF4_800": "bonds between irons",
    # ammonia on a metal: ours has the dictionary's hydrogens, RDKit's valence model fewer
    **dict.fromkeys(("5fcp_A_CPT_203", "5fcp_A_CPT_204"), "metal"),
}
"""Ligands whose molecules differ, and why."""

HAEM = "HEM"
"""Its nitrogens have four bonds in the template, which has no dative ones: RDKit makes no molecule to compare."""


def _other_path(instance: Instance, record: LigandMolecule, index: ComponentIndex) -> str:
    name = dict(zip(record.atom_index.tolist(), record.dictionary_names, strict=True))
    try:
        return template_smiles(instance, index.get, [name[atom] for atom in instance.atoms.heavy.tolist()])
    except ValueError as error:
        return str(error)


def _ours(record: LigandMolecule) -> str:
    mol = without_hydrogens(record.mol)
    Chem.SanitizeMol(mol)
    return canonical(mol)


def test_molecules_equal_those_of_template_assignment(samples: list[Sample], component_index: Path) -> None:
    index = ComponentIndex(component_index)
    sources: Counter[str] = Counter()
    differing, strained = set(), set()
    with rdBase.BlockLogs():
        for sample in samples:
            instance, record = sample.instance, sample.molecule
            assert record is not None
            sources[record.bond_source] += 1
            if "strained_bonds" in record.flags:
                strained.add(instance.entry_id)
            if instance.name.comp_id == HAEM or (record.bond_source == "entry" and sources["entry"] > MOST_OF_ENTRY):
                continue
            if _ours(record) != _other_path(instance, record, index):
                differing.add(record.stem)
    assert sources.total() > 500
    assert strained == {"4hhb"}  # haems of 1984
    assert differing == set(EXPLAINED)


def test_conect_of_each_ligand_is_the_bonds_of_its_molecule(samples: list[Sample]) -> None:
    differing = {}
    for sample in samples:
        instance, record = sample.instance, sample.molecule
        if sample.pdb is None or record is None:
            continue
        number = {int(instance.atoms.serial[atom]): k for k, atom in enumerate(record.atom_index.tolist())}
        pairs = set()
        for line in sample.pdb.splitlines():
            if line.startswith("CONECT"):
                first, *others = (int(line[k : k + 5]) for k in range(6, len(line.rstrip()), 5))
                pairs |= {frozenset((number[first], number[k])) for k in others if {first, k} <= number.keys()}
        heavy = record.mol.GetSubstructMatches(Chem.MolFromSmarts("[!#1]~[!#1]"), maxMatches=10_000)
        if pairs != set(map(frozenset, heavy)):
            differing[record.stem] = pairs ^ set(map(frozenset, heavy))
    assert not differing
