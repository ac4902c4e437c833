"""Ligands of mol2 files: 50 components of the dictionary with all, polar and no hydrogens are the right molecules."""

import re
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest
from rdkit import Chem
from rdkit.Chem import rdMolTransforms
from rdkit.Chem.MolStandardize import rdMolStandardize

from tethermap.components.component import Component
from tethermap.molecule.dictionary import dictionary_molecule
from tethermap.sources.own.mol2 import elements_of
from tethermap.sources.own.poses import LigandFileError, LigandPose, read_poses

CODES = """
IRE STI ATP VX6 1N1 MTX BEN FMN TPP PLP GDP ADN CIP DHT EST CHL IBP RIT MK1 017 AQ4 B49 NVP EFZ AZM
ACZ NIO BTN FAD COA LY2 032 P06 KSA STU CAF THM URA GUN HPA MES EPE ARG GLU HIS TPO SAM NAD ZYB 4AP
"""
ORDERS = {
    "sing": Chem.BondType.SINGLE, "doub": Chem.BondType.DOUBLE, "trip": Chem.BondType.TRIPLE,
    "arom": Chem.BondType.AROMATIC,
}  # fmt: skip


def molecule(component: Component) -> Chem.Mol:
    """Return a component with its hydrogens, out of the plane of a drawing."""
    full = Chem.AddHs(dictionary_molecule(component, neutral=False), addCoords=True)
    turned = np.eye(4)
    turned[1:3, 1:3] = [[0.8, -0.6], [0.6, 0.8]]
    turned[2, 3] = 3.0
    rdMolTransforms.TransformConformer(full.GetConformer(), turned)
    return full


def same(mol: Chem.Mol, *, tautomers: bool) -> str:
    """Return the common form of two molecules that differ by protons, and by tautomer if no file defines it."""
    flat = Chem.RemoveHs(Chem.Mol(mol))
    for atom in flat.GetAtoms():
        atom.SetAtomMapNum(0)
    Chem.RemoveStereochemistry(flat)
    flat = rdMolStandardize.Uncharger(force=True).uncharge(flat)
    if tautomers:
        flat = rdMolStandardize.CanonicalTautomer(flat)
    return Chem.MolToSmiles(flat)


def rebuilt(pose: LigandPose) -> Chem.Mol:
    mol = Chem.RWMol()
    for element, charge in zip(pose.elements, pose.charges, strict=True):
        atom = Chem.Atom(element)
        atom.SetFormalCharge(charge)
        mol.AddAtom(atom)
    for first, second, order in pose.bonds or ():
        mol.AddBond(first, second, ORDERS[order])
    Chem.SanitizeMol(mol)
    return mol.GetMol()


def gaff_type(atom: Chem.Atom) -> str:
    """Return a GAFF type (Wang 2004, doi:10.1002/jcc.20035) of the atom's element, simplified within it."""
    symbol, sp2 = atom.GetSymbol(), atom.GetHybridization() == Chem.HybridizationType.SP2
    hydrogens, neighbours = atom.GetTotalNumHs(includeNeighbors=True), atom.GetNeighbors()
    if symbol == "H":
        return f"h{neighbours[0].GetSymbol().lower()[0]}" if neighbours[0].GetSymbol() in "CNOSP" else "h"
    if symbol == "C":
        return "ca" if atom.GetIsAromatic() else "c2" if sp2 else "c3" if len(neighbours) > 2 else "c1"
    if symbol == "N":
        return "nb" if atom.GetIsAromatic() else "n4" if len(neighbours) == 4 else "n" if sp2 else "n3"
    if symbol == "O":
        return "oh" if hydrogens else "os" if neighbours[1:] else "o"
    if symbol == "S":
        return "sh" if hydrogens else "ss"
    return {"P": "p5"}.get(symbol, symbol.lower())


def mol2_text(mol: Chem.Mol, style: str) -> str:
    """Return a molecule as mol2: with SYBYL's types and aromatic bonds, or GAFF's and single and double bonds."""
    plain = Chem.Mol(mol)
    if style == "gaff":
        Chem.Kekulize(plain, clearAromaticFlags=True)
    names = {1.0: "1", 1.5: "ar", 2.0: "2", 3.0: "3"}
    lines = ["@<TRIPOS>MOLECULE", "x", f"{plain.GetNumAtoms()} {plain.GetNumBonds()} 1 0 0", "SMALL", "GASTEIGER", ""]
    lines.append("@<TRIPOS>ATOM")
    for atom, (x, y, z) in zip(plain.GetAtoms(), plain.GetConformer().GetPositions(), strict=True):
        symbol = atom.GetSymbol()
        aromatic = mol.GetAtomWithIdx(atom.GetIdx()).GetIsAromatic()
        if style == "gaff":
            kind = gaff_type(mol.GetAtomWithIdx(atom.GetIdx()))
        else:
            kind = f"{symbol}.{'ar' if aromatic and symbol in 'CN' else '3'}" if symbol in "CNOSP" else symbol
        lines.append(f"{atom.GetIdx() + 1:7d} {symbol}{atom.GetIdx() + 1} {x:9.4f} {y:9.4f} {z:9.4f} {kind} 1 LIG1 0.0")
    lines.append("@<TRIPOS>BOND")
    for number, bond in enumerate(plain.GetBonds(), start=1):
        ends = bond.GetBeginAtomIdx() + 1, bond.GetEndAtomIdx() + 1
        lines.append(f"{number:6d} {ends[0]} {ends[1]} {names[bond.GetBondTypeAsDouble()]}")
    return "\n".join([*lines, ""])


def with_hydrogens(text: str, which: str) -> str:
    """Return a mol2 file with all, polar or no hydrogens."""
    parts = {part.split("\n", 1)[0].strip(): part.splitlines() for part in text.split("@<TRIPOS>")[1:]}
    atoms, bonds = ([line for line in parts[name][1:] if line.strip()] for name in ("ATOM", "BOND"))
    kinds = {line.split()[0]: line.split()[5] for line in atoms}
    pairs = [line.split()[1:3] for line in bonds]
    hydrogens = {number for number, kind in kinds.items() if kind.lower()[0] == "h"}
    on_carbon = {a for pair in pairs for a, b in (pair, pair[::-1]) if a in hydrogens and kinds[b].lower()[0] == "c"
                 and kinds[b].lower() != "cl"}  # fmt: skip
    left = {"all": set(), "polar": on_carbon, "none": hydrogens}[which]
    kept = [line for line in atoms if line.split()[0] not in left]
    stated = [line for line in bonds if not left & {*line.split()[1:3]}]
    head = ["@<TRIPOS>MOLECULE", "x", f"{len(kept)} {len(stated)} 1 0 0", *parts["MOLECULE"][3:]]
    return "\n".join([*head, "@<TRIPOS>ATOM", *kept, "@<TRIPOS>BOND", *stated, ""])


@pytest.fixture(scope="module")
def molecules(known: Callable[[str], Component]) -> dict[str, Chem.Mol]:
    return {code: molecule(known(code)) for code in CODES.split()}


def open_babel(molecules: Iterable[Chem.Mol], folder: Path) -> list[str]:
    """Return molecules written by Open Babel."""
    (folder / "x.sdf").write_text("".join(f"{Chem.MolToMolBlock(mol)}$$$$\n" for mol in molecules))
    subprocess.run(["obabel", str(folder / "x.sdf"), "-O", str(folder / "x.mol2")], check=True, capture_output=True)
    _, *texts = (folder / "x.mol2").read_text().split("@<TRIPOS>MOLECULE")
    return [f"@<TRIPOS>MOLECULE{text}" for text in texts]


OPEN_BABEL = pytest.mark.skipif(shutil.which("obabel") is None, reason="obabel is not installed")


@pytest.mark.parametrize("which", ["all", "polar", "none"])
@pytest.mark.parametrize("writer", ["sybyl", "gaff", pytest.param("", marks=OPEN_BABEL, id="Open Babel")])
def test_fifty_components_are_read_correctly(
    writer: str, which: str, molecules: dict[str, Chem.Mol], tmp_path: Path
) -> None:
    wrong = []
    mols = molecules.values()
    texts = [mol2_text(mol, writer) for mol in mols] if writer else open_babel(mols, tmp_path)
    for (code, mol), text in zip(molecules.items(), texts, strict=True):
        path = tmp_path / f"{code}.mol2"
        path.write_text(with_hydrogens(text, which))
        try:
            (pose,), _ = read_poses(path)
            found = rebuilt(pose)
        except (LigandFileError, Chem.MolSanitizeException) as error:
            wrong.append((code, str(error)))
            continue
        # Canonical tautomers are slow: equal molecules have equal ones.
        levels = (False, True) if which == "none" else (False,)
        if all(same(found, tautomers=tautomers) != same(mol, tautomers=tautomers) for tautomers in levels):
            wrong.append((code, same(found, tautomers=False)))
    assert wrong == []


def test_dummies_and_lone_pairs_are_left_out_and_noted(molecules: dict[str, Chem.Mol], tmp_path: Path) -> None:
    head, tail = mol2_text(molecules["IRE"], "sybyl").split("@<TRIPOS>BOND")
    more = "   900 Du1 1.0 2.0 3.0 Du 1 LIG1 0\n   901 LP1 1.0 2.5 3.0 LP 1 LIG1 0\n@<TRIPOS>BOND"
    (tmp_path / "x.mol2").write_text(head + more + tail)
    (pose,), notes = read_poses(tmp_path / "x.mol2")
    assert sum(element != "H" for element in pose.elements) == 31
    assert "2 dummy atoms or lone pairs were left out" in notes[0]


@pytest.mark.parametrize(
    ("name", "kind", "element"),
    [("C1", "opls_135", "C"), ("H1", "opls_140", "H"), ("Li1", "opls_404", "Li"), ("FE", "fe", "Fe"),
     ("ZN", "ZN", "Zn"), ("N1", "na", "N"), ("C1", "cl", "Cl"), ("X1", "n+", "N"), ("X1", "f", "F"),
     ("X1", "CG2R61", "C")],
)  # fmt: skip
def test_element_is_that_of_the_type_or_of_the_name(name: str, kind: str, element: str) -> None:
    assert elements_of([["1", name, "0", "0", "0", kind]], np.zeros((1, 3))) == [element]


ACETATE = """@<TRIPOS>MOLECULE
x
7 6
@<TRIPOS>ATOM
1 C1 -1.653 0.611 1.199 {carbon} 1 LIG 0
2 C2 -1.028 0.345 -0.134 C.3 1 LIG 0
3 O1 -2.652 0.053 1.630 {oxygen} 1 LIG 0
4 O2 -0.960 1.562 1.871 {oxygen} 1 LIG 0
5 H1 -1.607 -0.427 -0.663 H 1 LIG 0
6 H2 -1.024 1.271 -0.728 H 1 LIG 0
7 H3 0.005 -0.004 0.009 H 1 LIG 0
@<TRIPOS>BOND
1 1 2 1
2 1 3 {order}
3 1 4 {order}
4 2 5 1
5 2 6 1
6 2 7 1
"""


@pytest.mark.parametrize("order", ["1", "2", "ar"])
@pytest.mark.parametrize("kinds", [("C.2", "O.co2"), ("c", "o"), ("C", "O2")])
def test_carboxylate_has_one_double_bond_regardless_of_its_orders(
    kinds: tuple[str, str], order: str, tmp_path: Path
) -> None:
    """Antechamber writes two single bonds, PRODRG two double ones, SYBYL two aromatic ones."""
    (tmp_path / "x.mol2").write_text(ACETATE.format(carbon=kinds[0], oxygen=kinds[1], order=order))
    ((pose,), _) = read_poses(tmp_path / "x.mol2")
    assert (pose.title, pose.names) == ("x", ("C1", "C2", "O1", "O2", "H1", "H2", "H3"))
    assert Chem.MolToSmiles(Chem.RemoveHs(rebuilt(pose))) == "CC(=O)[O-]"


@pytest.mark.parametrize("order", ["1", "0"])
@pytest.mark.parametrize("code", ["IRE", "ADN", "NVP"])
def test_bonds_are_perceived_if_the_file_lacks_their_orders(
    code: str, order: str, molecules: dict[str, Chem.Mol], tmp_path: Path
) -> None:
    """LEaP writes all bonds as single, Maestro's converter as 0."""
    text = mol2_text(molecules[code], "gaff")
    (tmp_path / "x.mol2").write_text(re.sub(r"^( *\d+ \d+ \d+) \d$", rf"\1 {order}", text, flags=re.MULTILINE))
    ((pose,), (note,)) = read_poses(tmp_path / "x.mol2")
    assert {order for *_, order in pose.bonds or ()} == {"unknown"}
    assert (set(pose.charges), "perceived" in note) == ({0}, True)
    assert len(pose.elements) == molecules[code].GetNumAtoms()


@pytest.mark.parametrize("first", [1, 4, 8, 0])
def test_bonds_count_atoms_from_1_if_their_ids_do_not(first: int, tmp_path: Path) -> None:
    """The format has ids for reference only; PyMOL's continue across molecules."""
    text = ACETATE.format(carbon="C.2", oxygen="O.co2", order="ar")
    for number in range(7, 0, -1):
        text = re.sub(rf"^{number} (?=[CHO])", f"{first + number - 1 if first else 1} ", text, flags=re.MULTILINE)
    (tmp_path / "x.mol2").write_text(text)
    ((pose,), _) = read_poses(tmp_path / "x.mol2")
    assert Chem.MolToSmiles(Chem.RemoveHs(rebuilt(pose))) == "CC(=O)[O-]"


def test_bond_of_an_absent_atom_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x.mol2").write_text(ACETATE.format(carbon="C.2", oxygen="O.co2", order="ar").replace("6 2 7", "6 2 9"))
    with pytest.raises(LigandFileError, match="a bond is between atoms that it lacks"):
        read_poses(tmp_path / "x.mol2")


def test_damaged_molecules_are_refused_by_name_and_the_next_one_is_read(
    molecules: dict[str, Chem.Mol], tmp_path: Path
) -> None:
    whole = mol2_text(molecules["IRE"], "sybyl")
    half = whole.split("@<TRIPOS>BOND")[0].rsplit("\n", 9)[0]
    damages = {half: "cut off", whole.rsplit("\n", 9)[0]: "cut off", whole.replace(" ar\n", " zz\n"): "unknown type zz"}
    for damaged, reason in damages.items():
        (tmp_path / "x.mol2").write_text(f"{damaged}\n{whole}")
        (pose,), notes = read_poses(tmp_path / "x.mol2")
        assert (pose.source_record, reason in notes[0]) == (2, True), notes


def test_molecule_after_a_broken_one_of_an_sdf_file_is_read(molecules: dict[str, Chem.Mol], tmp_path: Path) -> None:
    """RDKit's reader would skip it, and count one record less."""
    whole = f"{Chem.MolToMolBlock(molecules['IRE'])}$$$$\n"
    (tmp_path / "x.sdf").write_text(f"{whole}broken\n\n\n  9  9\n$$$$\n{whole}")
    poses, notes = read_poses(tmp_path / "x.sdf")
    assert ([pose.source_record for pose in poses], len(notes)) == ([1, 3], 1)
