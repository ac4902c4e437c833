"""Files of one half and of both, read by the rules of the programs that use them."""

import configparser
import json
from collections.abc import Collection
from dataclasses import replace
from functools import cache
from pathlib import Path

import gemmi
import numpy as np
import pytest
from rdkit import Chem
from rdkit.Chem import rdFMCS

from tests.tethermap.extras.programs.test_jobs import complex_pdb, element_names
from tests.tethermap.extras.protac.test_degraders import JQ1_ESTER, MZ1, VHL_LIGAND
from tests.tethermap.extras.protac.test_inputs import ligand_with_exits
from tests.tools.bench_degraders import published
from tests.tools.exits import embedded, sdf_molecule, surroundings
from tests.tools.patience import patience
from tethermap.extras.programs import p4ward
from tethermap.extras.protac.half import LigandHalf
from tethermap.extras.protac.inputs import InputMaker, shared_files
from tethermap.extras.protac.side import E3, TARGET, Side
from tethermap.extras.protac.warhead import core_with_hydrogens, cut_warhead

PAIRS = 12


def half(folder: Path, smiles: str, anchor: int, side: Side) -> LigandHalf:
    """Return a half whose linker leaves from an atom of a SMILES."""
    ligand = ligand_with_exits(folder, smiles, around=surroundings((90.0, 90.0, 90.0)))
    ligand = replace(ligand, instance=replace(ligand.instance, stem=f"1abc_A_{side.name}_1"))
    chosen = next(one for one in ligand.exits if one.anchor == anchor)
    _, _, (made,) = InputMaker("any", side, "VHL" if side is E3 else "").make(ligand, complex_pdb(), [chosen])
    return made


def files_of(
    halves: tuple[LigandHalf, LigandHalf], degrader: str, tools: Collection[str] | None = None
) -> dict[str, str]:
    """Return the files of each half and of both."""
    own = [InputMaker("any", one.side).make(one.ligand, one.complex_text, [one.exit])[0] for one in halves]
    return {**own[0], **own[1], **shared_files(halves, degrader, tools)}


@pytest.fixture(scope="module")
def halves(tmp_path_factory: pytest.TempPathFactory) -> tuple[LigandHalf, LigandHalf]:
    folder = tmp_path_factory.mktemp("halves")
    return half(folder, JQ1_ESTER, 2, TARGET), half(folder, VHL_LIGAND, 3, E3)


@pytest.fixture(scope="module")
def files(halves: tuple[LigandHalf, LigandHalf]) -> dict[str, str]:
    return files_of(halves, MZ1)


def test_p4ward_finds_both_ligands_in_the_degrader(files: dict[str, str]) -> None:
    """By its ``check_ligand_matches``: both MOL2 sanitise, each is found whole, and apart from the other."""
    conf = configparser.ConfigParser()
    conf.read_string(files["p4ward/config.ini"])
    names = dict(conf["general"])
    assert {f"p4ward/{name}" for name in names.values()} <= files.keys()
    assert conf["protein_filter"]["e3"] == "vhl"
    smiles, _ = files["p4ward/protacs.smiles"].split()
    degrader = Chem.MolFromSmiles(smiles)
    indices = []
    for part in ("receptor_ligand", "ligase_ligand"):
        text = files[f"p4ward/{names[part]}"]
        for sanitize in (True, False):  # once as read for matching, once as read for distances
            mol = Chem.MolFromMol2Block(text, sanitize=sanitize, cleanupSubstructures=sanitize)
            heavy = sum(atom.GetAtomicNum() > 1 for atom in mol.GetAtoms())
            common = Chem.MolFromSmarts(rdFMCS.FindMCS([degrader, mol], timeout=round(patience(20))).smartsString)
            assert sum(atom.GetAtomicNum() > 1 for atom in common.GetAtoms()) >= heavy
        indices.append(set(degrader.GetSubstructMatches(common)[0]))
    assert not indices[0] & indices[1]


@pytest.mark.parametrize(
    "smiles",
    [
        "Cc1c[nH]c2ncccc12", "C[n+]1ccccc1", "CS(=O)(=O)c1ccc([N+](=O)[O-])cc1", "CC#N", "CC(=NC)NC", "CP(=O)(O)O",
        "CS(C)=O", "C[N+](C)(C)C", "Cn1cnc2c1c(=O)[nH]c(=O)n2C", "Cc1nc(=O)cc[nH]1",
    ],
)  # fmt: skip
def test_mol2_is_the_molecule_that_was_written(smiles: str) -> None:
    molecule = embedded(smiles)[1]
    mol = core_with_hydrogens(molecule, ())
    read = Chem.MolFromMol2Block(p4ward.ligand_mol2(mol, "ligand"))
    assert Chem.MolToSmiles(read, isomericSmiles=False) == Chem.MolToSmiles(Chem.MolFromSmiles(smiles))
    assert Chem.MolToSmiles(Chem.RemoveAllHs(mol)) == Chem.MolToSmiles(cut_warhead(molecule, 0, ()).mol)


def test_deepternary_finds_degrader_ligands_and_masks_in_one_frame(files: dict[str, str]) -> None:
    """By ``replace_to_unbound_coords``: each half of the degrader is within 1 angstrom of its ligand."""
    degrader, *ligands = (
        Chem.MolFromPDBBlock(files[f"deepternary/{name}"], sanitize=False, removeHs=False)
        for name in ("degrader.pdb", "lig1.pdb", "lig2.pdb")
    )
    whole = degrader.GetConformer().GetPositions()
    for number, ligand in enumerate(ligands, 1):
        mask = Chem.MolFromPDBBlock(files[f"deepternary/lig{number}_mask.pdb"], sanitize=False, removeHs=False)
        for mol in (degrader, ligand, mask):
            Chem.SanitizeMol(mol)
        assert ligand.HasSubstructMatch(mask)
        match = degrader.GetSubstructMatch(mask)
        own = mask.GetConformer().GetPositions()
        assert np.linalg.norm(whole[list(match)] - own, axis=1).max() < 0.01
        away = np.linalg.norm(whole[:, None] - ligand.GetConformer().GetPositions()[None], axis=-1).min(axis=1)
        assert (away < 1).sum() >= mask.GetNumAtoms()
    words = files["deepternary/run.sh"].replace("\\\n", " ").split()
    named = {word for word in words if word.endswith(".pdb")}
    assert {f"deepternary/{name}" for name in named} <= files.keys()
    assert len(named) == 7


def test_prosettac_parameters_name_both_sides(files: dict[str, str], halves: tuple[LigandHalf, LigandHalf]) -> None:
    lines = dict(line.split(": ") for line in files["prosettac/Protac_params.txt"].splitlines())
    assert lines["Structures"] == "e3.pdb target.pdb"
    assert lines["Chains"] == "E T"
    numbers = [str(halves[k].warhead.anchor + 1) for k in (1, 0)]
    assert lines["Anchor atoms"].split() == numbers
    assert {f"prosettac/{name}" for name in lines["Heads"].split()} <= files.keys()
    assert files["prosettac/protac.smi"].split() == [MZ1]


def test_jobs_of_co_folding_programs_name_the_degrader_and_both_proteins(files: dict[str, str]) -> None:
    told = json.loads(files["af3/job.json"])
    assert [next(iter(item.values()))["id"] for item in told["sequences"]] == ["E", "T", "X"]
    assert told["sequences"][-1]["ligand"]["smiles"] == MZ1
    assert {"boltz/job.yaml", "chai/job.fasta", "chai/job.restraints"} <= files.keys()


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, tuple[LigandHalf, LigandHalf]]]:
    """Degraders of the literature with both halves, each capped with a hydrogen in the linker's place."""
    folder = tmp_path_factory.mktemp("pairs")

    @cache
    def capped(smiles: str, side: Side) -> LigandHalf:
        return half(folder, smiles.removeprefix("[*]"), 0, side)

    rows = [row for row in published() if row["target_half"].startswith(("[*]C", "[*]N", "[*]O"))]
    rows = [row for row in rows if row["recruiter_half"].startswith(("[*]C", "[*]N", "[*]O"))][:PAIRS]
    assert len(rows) == PAIRS
    return [(row["smiles"], (capped(row["target_half"], TARGET), capped(row["recruiter_half"], E3))) for row in rows]


LINKER_TOOLS = ("difflinker", "diffprotacs", "prosettac", "protac_ternary", "protenix")
KNOWN = {"C": 6, "O": 8, "N": 7, "F": 9, "S": 16, "Cl": 17, "Br": 35, "I": 53, "P": 15}
"""Elements of DiffLinker's GEOM models and of DiffPROTACs."""


def as_difflinker_reads(sdf: str, anchors: str) -> tuple[np.ndarray, list[int], list[int]]:
    """Return positions, atomic numbers and anchors from the file and the arguments by the rules of ``generate.py``."""
    mol = Chem.RemoveAllHs(sdf_molecule(sdf, sanitize=False))  # it sanitises
    numbers = [KNOWN[atom.GetSymbol()] for atom in mol.GetAtoms()]
    return mol.GetConformer().GetPositions(), numbers, [int(one.strip()) - 1 for one in anchors.split(",")]


def as_diffprotacs_reads(xyz: str) -> tuple[np.ndarray, list[int]]:
    """Return positions and atomic numbers by the rules of ``parse_xyz``: every line of four words is an atom."""
    atoms = [line.split() for line in xyz.splitlines() if len(line.split()) == 4]
    return np.array([[float(one) for one in words[1:]] for words in atoms]), [KNOWN[words[0]] for words in atoms]


def argument(command: str, name: str) -> str:
    words = command.replace("\\\n", " ").split()
    return words[words.index(name) + 1]


def check_linker_files(files: dict[str, str], asked: tuple[LigandHalf, ...], places: np.ndarray, degrader: str) -> None:
    """Check that both designers of linkers read the intended atoms, anchors and length of the linker."""
    run = files["difflinker/run.sh"]
    here, numbers, anchors = as_difflinker_reads(files["difflinker/fragments.sdf"], argument(run, "--anchors"))
    there, others = as_diffprotacs_reads(files["diffprotacs/fragments.xyz"])
    e3, target = asked
    mols = [one.warhead.mol for one in asked]
    assert np.abs(here - places).max() < 1e-3
    assert np.abs(there - places).max() < 1e-3
    assert numbers == others == [atom.GetAtomicNum() for mol in mols for atom in mol.GetAtoms()]
    assert anchors == [e3.warhead.anchor, mols[0].GetNumAtoms() + target.warhead.anchor]
    length = Chem.MolFromSmiles(degrader).GetNumAtoms() - len(numbers)
    assert int(argument(run, "--linker_size")) == length
    assert int(argument(files["diffprotacs/run.sh"], "--linker_len")) == length
    assert {f"difflinker/{argument(run, name)}" for name in ("--fragments", "--protein")} <= files.keys()
    protein = gemmi.read_pdb_string(files["difflinker/protein.pdb"])
    assert {chain.name for chain in protein[0]} == {"E", "T"}


def test_files_of_twelve_pairs_are_read_by_the_programs_rules(
    pairs: list[tuple[str, tuple[LigandHalf, LigandHalf]]],
) -> None:
    """Both halves are of one entry: its frame is that of the files."""
    for degrader, (target, e3) in pairs:
        own = files_of((target, e3), degrader, LINKER_TOOLS)
        places = np.vstack([one.warhead.mol.GetConformer().GetPositions() for one in (e3, target)])
        check_linker_files(own, (e3, target), places, degrader)
        (job,) = json.loads(own["protenix/job.json"])
        names = dict(zip(element_names(degrader), Chem.MolFromSmiles(degrader).GetAtoms(), strict=True))
        told = [names[one["atom2"]].GetSymbol() for one in job["constraint"]["contact"]]
        assert told == [one.warhead.mol.GetAtomWithIdx(one.warhead.anchor).GetSymbol() for one in (e3, target)]
        for kind in ("list", "delete"):  # by the rules of PROTAC_ternary: residue and name
            listed = [line.split() for line in own[f"protac_ternary/decoy_atom_{kind}.txt"].splitlines()]
            assert len({tuple(words) for words in listed}) == len(listed)
            for one in (e3, target):
                mol = Chem.MolFromPDBBlock(
                    own[f"protac_ternary/{one.side.name}_ligand.pdb"], sanitize=False, removeHs=False, flavor=0
                )
                known = {atom.GetPDBResidueInfo().GetName().strip(): atom for atom in mol.GetAtoms()}
                atoms = [known[name] for residue, name in listed if residue == one.side.residue_name]
                assert any(atom.GetIdx() == one.cut[0] for atom in atoms)
                if kind == "delete":  # no hydrogen is left without its heavy atom
                    indices = {atom.GetIdx() for atom in atoms}
                    bare = [o for k in atoms for o in k.GetNeighbors() if o.GetAtomicNum() == 1]
                    assert {atom.GetIdx() for atom in bare} <= indices
        lines = dict(line.split(": ") for line in own["prosettac/Protac_params.txt"].splitlines())
        for one, head, number in zip((e3, target), lines["Heads"].split(), lines["Anchor atoms"].split(), strict=True):
            read = sdf_molecule(own[f"prosettac/{head}"], sanitize=False).GetConformer().GetPositions()[int(number) - 1]
            assert np.abs(read - one.warhead.mol.GetConformer().GetPositions()[one.warhead.anchor]).max() < 1e-3
        assert {f"{tool}/README.txt" for tool in LINKER_TOOLS} <= own.keys()


def test_halves_of_two_entries_are_in_the_frame_of_the_degraders_conformation(
    halves: tuple[LigandHalf, LigandHalf],
) -> None:
    target, e3 = halves
    instance = replace(target.ligand.instance, entry_id="9xyz")
    target = replace(target, ligand=replace(target.ligand, instance=instance))
    assert not any(path.startswith("diff") for path in shared_files((target, e3), ""))
    made = files_of((target, e3), MZ1)
    degrader = Chem.MolFromPDBBlock(made["deepternary/degrader.pdb"], sanitize=False)
    places, _ = as_diffprotacs_reads(made["diffprotacs/fragments.xyz"])
    away = np.linalg.norm(degrader.GetConformer().GetPositions()[:, None] - places[None], axis=-1)
    assert away.min(axis=0).max() < 0.01
    check_linker_files(made, (e3, target), places, MZ1)


def test_fragments_in_one_frame_have_distance_and_angles(halves: tuple[LigandHalf, LigandHalf]) -> None:
    told = json.loads(shared_files(halves, "")["fragments.json"])
    assert [one["smiles"].count("[*]") for one in told["fragments"]] == [1, 1]
    first, second = (np.array(one["xyz"][one["attachment_atom"]]) for one in told["fragments"])
    assert told["between"]["distance_A"] == pytest.approx(np.linalg.norm(first - second), abs=0.01)
    other = replace(
        halves[1], ligand=replace(halves[1].ligand, instance=replace(halves[1].ligand.instance, entry_id="9xyz"))
    )
    assert json.loads(shared_files((halves[0], other), "")["fragments.json"])["between"]["distance_A"] is None
