"""Functional group at an exit, its precursor and its reactions.

The groups and their reactions are the rows of ``data/reference/reactions.csv``, the first group that fits first.
"""

from dataclasses import dataclass
from functools import cache

from rdkit import Chem, rdBase
from rdkit.Chem import rdChemReactions

from tethermap.base.reference import rows_of


@dataclass(frozen=True, slots=True)
class Join:
    """A reaction that joins a half to a linker.

    Parameters
    ----------
    name : str
        In words.
    bridge : str
        SMILES between the half's ``[*:1]`` and the linker's ``[*:2]`` that the reaction forms; empty for a direct bond.
    ends : str
        Elements of the linker's end that it is made at: ``C`` sp3 carbon, ``c`` aromatic carbon, ``N``.
    retro : str
        Reaction SMARTS from the half to the molecule to buy or make.
    made_from : str
        Name of that molecule.
    needs : str
        Required end of the linker.
    """

    name: str
    bridge: str
    ends: str
    retro: str
    made_from: str
    needs: str


@cache
def groups() -> dict[str, tuple[Chem.Mol, tuple[Join, ...]]]:
    """Return the pattern and the reactions of each functional group, in the order in which they are tried."""
    found: dict[str, tuple[Chem.Mol, tuple[Join, ...]]] = {}
    for row in rows_of("reactions"):
        retro = f"{row['half']}>>{row['block']}"
        join = Join(row["reaction"], row["bridge"], row["end"], retro, row["made_from"], row["needs"])
        pattern, joins = found.get(row["group"]) or (Chem.MolFromSmarts(row["half"]), ())
        found[row["group"]] = pattern, (*joins, join)
    return found


_CLICKED = Chem.MolFromSmarts("[CX2]#[CX2][#0]")


@dataclass(frozen=True, eq=False)
class End:
    """A half as a molecule with ``*`` for the linker.

    Parameters
    ----------
    mol : Chem.Mol
        With one atom of number 0; atoms that are those of a crystal ligand have atom map numbers.
    handle : str
        Its functional group, a key of `groups`.
    """

    mol: Chem.Mol
    handle: str

    @property
    def joins(self) -> tuple[Join, ...]:
        """Possible reactions."""
        return groups()[self.handle][1]

    def armed(self, join: Join) -> Chem.Mol:
        """Return it in its form after the reaction: a clicked alkyne is a triazole."""
        if join.name != "click" or not self.mol.HasSubstructMatch(_CLICKED):
            return self.mol
        far, near, star = self.mol.GetSubstructMatch(_CLICKED)
        edit = Chem.RWMol(self.mol)
        edit.RemoveBond(near, star)
        middle, last, first = (edit.AddAtom(Chem.Atom(7)) for _ in range(3))
        edit.GetBondBetweenAtoms(far, near).SetBondType(Chem.BondType.DOUBLE)
        for a, b in ((near, first), (first, last), (middle, far), (first, star)):
            edit.AddBond(a, b, Chem.BondType.SINGLE)
        edit.AddBond(last, middle, Chem.BondType.DOUBLE)
        mol = edit.GetMol()
        Chem.SanitizeMol(mol)
        return mol


def half_molecule(smiles: str) -> Chem.Mol | None:
    """Return a half by its SMILES; None for an invalid one, or without exactly one ``[*]``.

    >>> half_molecule("CC(=O)[*]").GetNumAtoms(), half_molecule("[*]CC[*]")
    (4, None)
    """
    with rdBase.BlockLogs():
        mol = Chem.MolFromSmiles(smiles)
    if mol is None:
        return None  # type: ignore[unreachable]
    return mol if sum(atom.GetAtomicNum() == 0 for atom in mol.GetAtoms()) == 1 else None


def end_of(smiles: str) -> End | None:
    """Return a half by its SMILES with ``[*]``; None if no common reaction makes that bond.

    >>> end_of("CC(=O)[*]").handle
    'acid'
    """
    mol = half_molecule(smiles)
    if mol is None:
        return None
    handle = next((name for name, (pattern, _) in groups().items() if mol.HasSubstructMatch(pattern)), "")
    return End(mol, handle) if handle else None


def to_make(end: End) -> dict[str, str]:
    """Return the molecules that a chemist would buy or make to join a linker to a half, by SMILES with their names.

    Parameters
    ----------
    end : End
        The half.
    """
    plain = Chem.Mol(end.mol)
    for atom in plain.GetAtoms():
        atom.SetAtomMapNum(0)
    blocks: dict[str, str] = {}
    for join in end.joins:
        with rdBase.BlockLogs():
            (made,), *_ = rdChemReactions.ReactionFromSmarts(join.retro).RunReactants((plain,))
        for atom in made.GetAtoms():  # an azole's nitrogen that lost an acyl group has a hydrogen
            if atom.GetAtomicNum() == 7 and atom.GetIsAromatic() and atom.HasProp("react_atom_idx"):
                before = plain.GetAtomWithIdx(atom.GetIntProp("react_atom_idx"))
                if atom.GetDegree() < before.GetDegree():
                    atom.SetNumExplicitHs(1)
        Chem.SanitizeMol(made)
        blocks.setdefault(str(Chem.MolToSmiles(made)), join.made_from)
    return blocks
