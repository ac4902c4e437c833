"""What a chemist has in hand at an exit: the functional group, and what it can be joined by.

The group is read off the atom that the linker is bonded to and its neighbours, which is what the exit's chemistry
class says in words (`tethermap.exits.words.CHEMISTRY`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rdkit import Chem, rdBase

_HANDLES: tuple[tuple[str, str], ...] = (
    ("acid", "[CX3;!$(C[O,N,S][CX3]=O)](=[O,S])[#0]"),
    ("sulfonyl", "[SX4](=O)(=O)[#0]"),
    ("amine", "[NX3;!$(N[C,S,P]=[O,S,N]);!$(N[!#6;!#0;!#1])][#0]"),
    ("nitrogen", "[#7][#0]"),
    ("hydroxyl", "[OX2][#0]"),
    ("thiol", "[SX2][#0]"),
    ("alkyne", "[CX2]#[CX2][#0]"),
    ("aryl", "c[#0]"),
    ("alkyl", "[CX4][#0]"),
)
"""Functional groups by the pattern of their bond to the linker, the first that fits."""

BUILDING_BLOCKS = {
    "acid": ("O", "carboxylic acid"),
    "sulfonyl": ("Cl", "sulfonyl chloride"),
    "amine": ("[H]", "amine"),
    "nitrogen": ("[H]", "N-H of an amide or azole"),
    "hydroxyl": ("[H]", "alcohol or phenol"),
    "thiol": ("[H]", "thiol"),
    "alkyne": ("[H]", "terminal alkyne"),
    "aryl": ("Br", "aryl bromide"),
    "alkyl": ("Br", "alkyl bromide"),
}
"""What stands in the linker's place in the molecule to buy or make, and what that is called."""

_AZIDE = ("N=[N+]=[N-]", "alkyl azide")

PATTERNS = tuple((name, Chem.MolFromSmarts(pattern)) for name, pattern in _HANDLES)


@dataclass(frozen=True, slots=True)
class Join:
    """A reaction that joins a half to a linker.

    Parameters
    ----------
    name : str
        In words.
    bridge : str
        SMILES between the half's ``[*:1]`` and the linker's ``[*:2]`` of what the reaction leaves there; empty for a
        direct bond.
    ends : str
        Elements of the linker's end that it is made at: ``C`` sp3 carbon, ``c`` aromatic carbon, ``N``.
    """

    name: str
    bridge: str
    ends: str


JOINS: dict[str, tuple[Join, ...]] = {
    "acid": (Join("amide", "[*:1]N[*:2]", "Cc"), Join("amide", "", "N")),
    "sulfonyl": (Join("sulfonamide", "[*:1]N[*:2]", "Cc"), Join("sulfonamide", "", "N")),
    "amine": (Join("amide", "[*:1]C(=O)[*:2]", "Cc"), Join("alkylation", "", "C")),
    "nitrogen": (Join("alkylation", "", "C"),),
    "hydroxyl": (Join("ether", "", "C"),),
    "thiol": (Join("thioether", "", "C"),),
    "alkyne": (Join("click", "", "C"),),
    "aryl": (
        Join("Suzuki", "", "c"),
        Join("Sonogashira", "[*:1]C#C[*:2]", "C"),
        Join("amination", "[*:1]N[*:2]", "C"),
        Join("amination", "", "N"),
        Join("ether", "[*:1]O[*:2]", "C"),
    ),
    "alkyl": (
        Join("alkylation", "[*:1]N[*:2]", "C"),
        Join("alkylation", "", "N"),
        Join("ether", "[*:1]O[*:2]", "Cc"),
        Join("click", "[*:1]n1cc([*:2])nn1", "C"),
    ),
}
"""What can be done with each functional group."""

_CLICKED = Chem.MolFromSmarts("[CX2]#[CX2][#0]")


@dataclass(frozen=True, eq=False)
class End:
    """A half as a molecule with ``*`` for the linker.

    Parameters
    ----------
    mol : Chem.Mol
        With one atom of number 0; atoms that are those of a crystal ligand have atom map numbers.
    handle : str
        Its functional group, a key of `JOINS`.
    """

    mol: Chem.Mol
    handle: str

    @property
    def joins(self) -> tuple[Join, ...]:
        """What can be done with it."""
        return JOINS[self.handle]

    def armed(self, join: Join) -> Chem.Mol:
        """Return it as it stands after the reaction: an alkyne that was clicked is a triazole."""
        if self.handle != "alkyne" or join.name != "click":
            return self.mol
        far, near, star = self.mol.GetSubstructMatch(_CLICKED)
        edit = Chem.RWMol(self.mol)
        edit.RemoveBond(near, star)
        middle, last, first = (edit.AddAtom(Chem.Atom(7)) for _ in range(3))
        edit.GetBondBetweenAtoms(far, near).SetBondType(Chem.BondType.DOUBLE)
        for a, b, order in (
            (near, first, Chem.BondType.SINGLE),
            (first, last, Chem.BondType.SINGLE),
            (last, middle, Chem.BondType.DOUBLE),
            (middle, far, Chem.BondType.SINGLE),
            (first, star, Chem.BondType.SINGLE),
        ):
            edit.AddBond(a, b, order)
        mol = edit.GetMol()
        Chem.SanitizeMol(mol)
        return mol


def half_molecule(smiles: str) -> Chem.Mol | None:
    """Return a half by its SMILES; None for what is none, or has not one ``[*]``.

    >>> half_molecule("CC(=O)[*]").GetNumAtoms(), half_molecule("[*]CC[*]")
    (4, None)
    """
    with rdBase.BlockLogs():
        mol = Chem.MolFromSmiles(smiles)
    if mol is None:
        return None  # type: ignore[unreachable]
    return mol if sum(atom.GetAtomicNum() == 0 for atom in mol.GetAtoms()) == 1 else None


def end_of(smiles: str) -> End | None:
    """Return a half by its SMILES with ``[*]``; None where no common reaction makes that bond.

    >>> end_of("CC(=O)[*]").handle
    'acid'
    """
    mol = half_molecule(smiles)
    if mol is None:
        return None
    handle = next((name for name, pattern in PATTERNS if mol.HasSubstructMatch(pattern)), "")
    return End(mol, handle) if handle else None


def to_make(end: End) -> Iterator[tuple[str, str]]:
    """Yield SMILES and name of what a chemist would buy or make to join a linker to a half.

    Parameters
    ----------
    end : End
        The half.
    """
    choices = [BUILDING_BLOCKS[end.handle], *([_AZIDE] if end.handle == "alkyl" else [])]
    star = Chem.MolFromSmarts("[#0]")
    plain = Chem.Mol(end.mol)
    for atom in plain.GetAtoms():
        atom.SetAtomMapNum(0)
    for group, name in choices:
        replacement = Chem.MolFromSmiles(group, sanitize=False)
        (made,) = Chem.ReplaceSubstructs(plain, star, replacement, replaceAll=True)
        Chem.SanitizeMol(made)
        yield Chem.MolToSmiles(Chem.RemoveHs(made)), name
