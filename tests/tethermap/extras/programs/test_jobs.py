"""Jobs of co-folding programs, read back by the rules of the programs' own readers."""

import csv
import io
import json
import re
import string

import numpy as np
import pytest
import yaml
from rdkit import Chem

from tests.tethermap.extras.protac.test_degraders import MZ1
from tethermap.extras.programs import af3, boltz, chai, protenix
from tethermap.extras.protac.subject import FoldedHalf, FoldedLigand, SequencePlace, Subject, folded_half

SEQUENCE = ("MET", "ALA", "CYS", "LYS", "GLY")


def complex_pdb() -> str:
    """Return a chain of which the first residue was not observed, one residue modified, numbered from 50."""
    lines = [f"SEQRES   1 A    5  {' '.join(SEQUENCE[:4])} MSE"]
    for k, name in enumerate((*SEQUENCE[1:4], "MSE"), 1):
        record = "HETATM" if name == "MSE" else "ATOM  "
        for atom, shift in (("N", 0.0), ("CA", 1.4), ("C", 2.4)):
            serial = 1000 + 3 * k + int(shift)
            lines.append(
                f"{record}{serial:5d}  {atom:<3s} {name} A{49 + k:4d}    {3.8 * k + shift / 2:8.3f}{shift:8.3f}{0:8.3f}"
                f"  1.00  0.00           {atom[0]}"
            )
    return "\n".join([*lines, "TER    1015      MSE A  53", "END"]) + "\n"


def element_names(smiles: str) -> list[str]:
    """Return the name of each atom by its element and occurrence."""
    elements = [atom.GetSymbol().upper() for atom in Chem.MolFromSmiles(smiles).GetAtoms()]
    return [f"{element}{elements[: k + 1].count(element)}" for k, element in enumerate(elements)]


@pytest.fixture
def half() -> FoldedHalf:
    xyz = np.array([[8.0, 4.0, 0.0], [8.0, 9.0, 0.0]])
    return folded_half(complex_pdb(), {"A": "T"}, xyz, xyz[0])


def subject(half: FoldedHalf, ligand: FoldedLigand) -> Subject:
    """Return a job with two halves that differ only by their letter."""
    other = folded_half(complex_pdb(), {"A": "E"}, np.array([[8.0, 4.0, 0.0]]), np.array([8.0, 4.0, 0.0]))
    return Subject("BRD4_VHL_5t35_D", (half, other), ligand)


def test_sequence_and_residue_numbers_follow_seqres(half: FoldedHalf) -> None:
    assert [(chain.letter, chain.sequence) for chain in half.chains] == [("T", "MACKM")]
    assert half.pocket[0].letter == "T"
    assert all(half.chains[0].sequence[place.number - 1] == place.name for place in half.pocket)
    assert half.at_exit in half.pocket
    assert 0 < half.distance < 5


def test_alphafold_3_accepts_the_job(half: FoldedHalf) -> None:
    """By the rules of `Input.from_json`: known keys, letters as ids, each once, one kind of ligand, whole bonds."""
    ligand = FoldedLigand("X", "", "0S6", ("C23",), (SequencePlace("T", 3, "C"), "SG", "C23"))
    told = json.loads(af3.job(subject(half, ligand)))
    assert told.keys() == {"name", "modelSeeds", "sequences", "dialect", "version", "bondedAtomPairs"}
    assert (told["dialect"], told["version"] in (1, 2, 3, 4), len(told["modelSeeds"]) > 0) == ("alphafold3", True, True)
    lengths = {}
    for item in told["sequences"]:
        ((kind, values),) = item.items()
        assert re.fullmatch("[A-Z]+", values["id"])
        assert values["id"] not in lengths
        if kind == "protein":
            assert values.keys() == {"id", "sequence"}
            assert values["sequence"].isalpha()
            lengths[values["id"]] = len(values["sequence"])
        else:
            assert kind == "ligand"
            assert values.keys() == {"id", "ccdCodes"}
            lengths[values["id"]] = 1
    for bond in told["bondedAtomPairs"]:
        for letter, number, name in bond:
            assert 0 < number <= lengths[letter]
            assert isinstance(name, str)
    plain = json.loads(af3.job(subject(half, FoldedLigand("X", MZ1))))
    assert plain["sequences"][-1]["ligand"].keys() == {"id", "smiles"}
    assert "bondedAtomPairs" not in plain


def test_boltz_accepts_the_job(half: FoldedHalf) -> None:
    """By the rules of `parse_boltz_schema`: chains and residues of constraints exist, atoms have the names it gives."""
    anchors = (3, 40)
    told = yaml.safe_load(boltz.job(subject(half, FoldedLigand("X", MZ1, anchors=anchors))))
    assert told["version"] == 1
    chains = {}
    for item in told["sequences"]:
        ((kind, values),) = item.items()
        assert kind in ("protein", "ligand")
        chains[values["id"]] = values.get("sequence", "")
    mol = Chem.AddHs(Chem.MolFromSmiles(MZ1))
    names = [
        a.GetSymbol().upper() + str(r + 1) for a, r in zip(mol.GetAtoms(), Chem.CanonicalRankAtoms(mol), strict=True)
    ]
    assert max(map(len, names)) <= 4
    assert len(told["constraints"]) == 4
    for constraint in told["constraints"]:
        ((kind, values),) = constraint.items()
        assert 4 <= values["max_distance"] <= 20
        if kind == "pocket":
            assert values["binder"] == "X"
            assert all(0 < number <= len(chains[letter]) for letter, number in values["contacts"])
        else:
            letter, number = values["token2"]
            assert 0 < number <= len(chains[letter])
            assert values["token1"] in [["X", names[k]] for k in anchors]


def test_protenix_accepts_the_job(half: FoldedHalf) -> None:
    """By the rules of its parsers: entities by order, residues within sequences, atoms by element and occurrence."""
    anchors = (3, 40)
    ligand = FoldedLigand("X", "", "0S6", ("C23",), (SequencePlace("T", 3, "C"), "SG", "C23"))
    names = element_names(MZ1)
    for asked, expected in ((FoldedLigand("X", MZ1, anchors=anchors), [names[k] for k in anchors]), (ligand, ["C23"])):
        (told,) = json.loads(protenix.job(subject(half, asked)))
        entities = [next(iter(item.items())) for item in told["sequences"]]
        assert [kind for kind, _ in entities] == ["proteinChain", "proteinChain", "ligand"]
        assert all(values["count"] == len(values["id"]) == 1 for _, values in entities)
        sequences = [values.get("sequence", "L") for _, values in entities]
        assert all(set(sequence) <= set("ARNDCQEGHILKMFPSTWYVX") for sequence in sequences[:2])
        assert entities[-1][1]["ligand"] == (MZ1 if asked.smiles else "CCD_0S6")
        pocket = told["constraint"]["pocket"]
        assert pocket["binder_chain"] == {"entity": 3, "copy": 1}
        for place in pocket["contact_residues"]:
            assert place.keys() == {"entity", "copy", "position"}
            assert 0 < place["position"] <= len(sequences[place["entity"] - 1])
        contacts = told["constraint"]["contact"]
        assert [one["atom2"] for one in contacts] == expected
        for one in contacts:
            assert (one["entity2"], one["copy2"], one["position2"]) == (3, 1, 1)
            assert 0 < one["position1"] <= len(sequences[one["entity1"] - 1])
            assert one["max_distance"] > 0
        bonds = told.get("covalent_bonds", [])
        assert len(bonds) == bool(asked.bond)
        for bond in bonds:
            assert sequences[int(bond["entity1"]) - 1][int(bond["position1"]) - 1] == "C"
            assert (bond["atom1"], bond["entity2"], bond["position2"], bond["atom2"]) == ("SG", "3", "1", "C23")


def test_chai_accepts_the_job(half: FoldedHalf) -> None:
    """By the rules of `read_inputs` and `parse_pairwise_table`: chains by order, residues by letter and number."""
    job = subject(half, FoldedLigand("X", MZ1))
    blocks = [block.split("\n") for block in chai.fasta(job).split(">")[1:]]
    sequences = {letter: block[1] for letter, block in zip(string.ascii_uppercase, blocks, strict=False)}
    for title, _, _ in blocks:
        kind, label = title.split("|")
        assert kind in ("protein", "ligand")
        assert label.split("=")[0] == "name"
    rows = list(csv.DictReader(io.StringIO(chai.restraints(job))))
    assert len({row["restraint_id"] for row in rows}) == len(rows) == len(job.pocket)
    for row in rows:
        assert (row["connection_type"], row["res_idxA"], row["chainA"]) == ("pocket", "", "C")
        assert sequences[row["chainB"]][int(row["res_idxB"][1:]) - 1] == row["res_idxB"][0]
        assert 0 <= float(row["min_distance_angstrom"]) <= float(row["max_distance_angstrom"])
        assert 0 <= float(row["confidence"]) <= 1
