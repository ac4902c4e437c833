"""The files of P4ward.

The format is that of the program's repository, read in 2026: SKTeamLab/P4ward (``tutorial.rst``,
``config/default.ini``, ``run/protac_prep.py``, ``run/structure_tools.py``).
"""

from rdkit import Chem

from tethermap.extras.protac.half import Halves
from tethermap.extras.protac.program import Program, text_of
from tethermap.extras.protac.warhead import core_with_hydrogens

PARTS = {"target": "receptor", "e3": "ligase"}
"""P4ward's names of the sides, which are the default names of its files."""

MODELLED = ("vhl", "crbn")
"""E3 ligases of which P4ward has models of the whole complex; filters by these are switched off for others."""


def ligand_mol2(mol: Chem.Mol, title: str) -> str:
    """Return a molecule with all its hydrogens as MOL2 that RDKit can sanitise.

    RDKit reads formal charges off valences, so that every hydrogen is written; aromatic bonds are ``ar``.

    Parameters
    ----------
    mol : Chem.Mol
        With its hydrogens as atoms and one conformer, in angstroms.
    title : str
        Name of the side.
    """
    names: dict[str, int] = {}
    lines = ["@<TRIPOS>MOLECULE", title, f"{mol.GetNumAtoms()} {mol.GetNumBonds()} 1", "SMALL", "NO_CHARGES", ""]
    lines.append("@<TRIPOS>ATOM")
    for atom, place in zip(_plain(mol).GetAtoms(), mol.GetConformer().GetPositions().tolist(), strict=True):
        symbol = atom.GetSymbol()
        names[symbol] = names.get(symbol, 0) + 1
        x, y, z = place
        lines.append(
            f"{atom.GetIdx() + 1:6d} {symbol}{names[symbol]:<6d} {x:10.4f} {y:10.4f} {z:10.4f} "
            f"{_atom_type(atom):6s} 1 LIG1 0.0000"
        )
    lines.append("@<TRIPOS>BOND")
    for bond in _plain(mol).GetBonds():
        order = "ar" if bond.GetIsAromatic() else str(int(bond.GetBondTypeAsDouble()))
        lines.append(f"{bond.GetIdx() + 1:6d} {bond.GetBeginAtomIdx() + 1:5d} {bond.GetEndAtomIdx() + 1:5d} {order}")
    return "\n".join(lines) + "\n"


def _plain(mol: Chem.Mol) -> Chem.Mol:
    """Return a molecule in which aromatic systems with an exocyclic double bond, such as pyridones, are assigned.

    RDKit can't assign those when they are written as aromatic.
    """
    assigned = Chem.RWMol(mol)
    Chem.Kekulize(assigned)
    plain = Chem.RWMol(mol)
    double = Chem.BondType.DOUBLE
    front = [a for a in mol.GetAtoms() if a.GetIsAromatic() and any(b.GetBondType() == double for b in a.GetBonds())]
    seen = {atom.GetIdx() for atom in front}
    for atom in front:
        plain.GetAtomWithIdx(atom.GetIdx()).SetIsAromatic(False)
        for bond in atom.GetBonds():
            other = bond.GetOtherAtom(atom)
            if bond.GetIsAromatic():
                order = assigned.GetBondWithIdx(bond.GetIdx()).GetBondType()
                plain.GetBondWithIdx(bond.GetIdx()).SetBondType(order)
                plain.GetBondWithIdx(bond.GetIdx()).SetIsAromatic(False)
                if other.GetIdx() not in seen:
                    seen.add(other.GetIdx())
                    front.append(other)
    return plain


def _atom_type(atom: Chem.Atom) -> str:
    """Return the Tripos type of an atom: for RDKit only the element before the point counts."""
    symbol = atom.GetSymbol()
    if symbol not in ("C", "N", "O", "S", "P"):
        return str(symbol)
    if symbol == "N" and atom.GetDegree() == 3 and any(bond.GetIsConjugated() for bond in atom.GetBonds()):
        return "N.pl3"
    if atom.GetIsAromatic() and symbol in ("C", "N"):
        return f"{symbol}.ar"
    orders = [bond.GetBondTypeAsDouble() for bond in atom.GetBonds()]
    if symbol == "P":
        return "P.3"
    if symbol == "S":
        oxides = sum(
            bond.GetBondTypeAsDouble() == 2 and bond.GetOtherAtom(atom).GetSymbol() == "O" for bond in atom.GetBonds()
        )
        return {0: "S.2" if 2 in orders else "S.3", 1: "S.o"}.get(oxides, "S.o2")
    if 3 in orders or orders.count(2) > 1:
        return f"{symbol}.1"
    if 2 in orders:
        return f"{symbol}.2"
    if symbol == "N" and atom.GetDegree() == 4:
        return "N.4"
    return f"{symbol}.3"


def config(ligase: str) -> str:
    """Return the configuration: P4ward uses its defaults for missing settings.

    Parameters
    ----------
    ligase : str
        Gene of the E3 ligase; empty if unknown.
    """
    lines = ["[general]", "protacs = protacs.smiles"]
    for part in PARTS.values():
        lines += [f"{part} = {part}.pdb", f"{part}_ligand = {part}_ligand.mol2"]
    if (e3 := ligase.lower()) in MODELLED:
        return "\n".join([*lines, "", "[protein_filter]", f"e3 = {e3}"]) + "\n"
    lines += ["", "[protein_filter]", "crl_model_clash = False", "accessible_lysines = False"]
    return "\n".join([*lines, "", "[outputs]", "write_crl_complex = False"]) + "\n"


def _halves(halves: Halves) -> dict[str, str]:
    """Return proteins and ligands, the configuration and the degrader."""
    files = {}
    for half in halves.ordered:
        part = PARTS[half.side.name]
        if half.protein.text:
            files[f"p4ward/{part}.pdb"] = half.protein.text
        mol = core_with_hydrogens(half.ligand.molecule, half.cut[1])
        files[f"p4ward/{part}_ligand.mol2"] = ligand_mol2(mol, f"{half.ligand.instance.stem} {part}")
    files["p4ward/config.ini"] = config(next((half.gene for half in halves.ordered if half.gene), ""))
    if halves.degrader:
        files["p4ward/protacs.smiles"] = f"{halves.degrader} degrader\n"
    return files


PROGRAM = Program(lambda *_: text_of("p4ward"), halves=_halves)
