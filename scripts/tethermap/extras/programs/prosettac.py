"""The files of PRosettaC for one side of a degrader.

The format is that of the program's repository, read in 2026: LondonLab/PRosettaC (``README``, ``main.py``,
``protac_lib.py``, ``utils.py``).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rdkit import Chem

from tethermap.base.tables import JOINED
from tethermap.extras.protac.half import Halves, LigandHalf
from tethermap.extras.protac.program import Program, SiteFiles, Written, text_of
from tethermap.extras.protac.round_trip import LOST, OTHER, OUTCOMES, anchor_after_round_trip
from tethermap.extras.protac.side import Side
from tethermap.extras.protac.warhead import Warhead, alike_atoms

_GUANIDINE = Chem.MolFromSmarts("[CX3;!R](=[NX2;D1;!R;+0])([NX3;D2;!R;!H0;+0])[N;D1;!R]")
"""Carbon, the free nitrogen of its double bond, the nitrogen with a substituent, the other free nitrogen."""


def with_bonds_of_open_babel(warhead: Warhead) -> Warhead:
    """Return a warhead with the double bonds of its guanidines where Open Babel puts them.

    For a guanidine with two free nitrogens it assigns the double bond to the third in any case (its ``bondtyp.txt``);
    in PRosettaC's copy the other tautomer is not found.
    """
    mol = moved_guanidines(warhead.mol)
    return replace(warhead, mol=mol, alike=alike_atoms(mol, warhead.anchor)) if mol is not warhead.mol else warhead


def degrader_line(smiles: str) -> str:
    """Return the file of the degrader, its guanidines as in the heads, in which PRosettaC finds it."""
    mol = Chem.MolFromSmiles(smiles)
    moved = moved_guanidines(mol)
    return f"{smiles if moved is mol else Chem.MolToSmiles(moved)}\n"


def moved_guanidines(mol: Chem.Mol) -> Chem.Mol:
    """Return a molecule with its guanidines in Open Babel's form; itself if it has none.

    >>> Chem.MolToSmiles(moved_guanidines(Chem.MolFromSmiles("CCNC(=N)N")))
    'CCN=C(N)N'
    """
    edit = mol
    while match := edit.GetSubstructMatch(_GUANIDINE):
        edit = Chem.RWMol(edit)
        carbon, old, new, _ = match
        for nitrogen, order, more in ((old, Chem.BondType.SINGLE, 1), (new, Chem.BondType.DOUBLE, -1)):
            bond, atom = edit.GetBondBetweenAtoms(carbon, nitrogen), edit.GetAtomWithIdx(nitrogen)
            bond.SetBondType(order)
            bond.SetStereo(Chem.BondStereo.STEREONONE)
            if atom.GetNoImplicit():
                atom.SetNumExplicitHs(atom.GetNumExplicitHs() + more)
        edit.UpdatePropertyCache(strict=False)
    return edit if edit is mol else edit.GetMol()


def head_sdf(warhead: Warhead, title: str, fields: Mapping[str, str], *, kekulize: bool) -> str:
    """Return a warhead as a head of PRosettaC: one record of heavy atoms in the bound frame.

    PRosettaC searches the written head, read without any perception, in a copy that Open Babel has converted and
    perceived (``translate_anchors``): aromatic bonds must be written as such. Both number heavy atoms
    identically; written hydrogens would be searched in the copy, which has none.

    Parameters
    ----------
    warhead : Warhead
        Remaining part of the ligand.
    title : str
        First line.
    fields : mapping of str to str
        Data fields.
    kekulize : bool
        Whether RDKit can assign the molecule's bonds.
    """
    mol = Chem.Mol(warhead.mol)
    mol.SetProp("_Name", title)
    block = Chem.MolToMolBlock(mol, includeStereo=True, kekulize=False)
    if kekulize:
        lines = "".join(f"{line}\n" for line in _hard_rings(mol))
        block = block.replace("M  END\n", f"{lines}M  END\n")
    return block + "".join(f">  <{name}>\n{value}\n\n" for name, value in fields.items()) + "$$$$\n"


def _hard_rings(mol: Chem.Mol) -> Iterator[str]:
    """Yield the lines by which either reader understands aromatic atoms that carry a hydrogen or a charge.

    Open Babel assigns aromatic bonds before it reads hydrogens and charges, so that a pyrrole or pyridinium fails;
    ``M  ZBO`` then sets the order of each bond. RDKit must not read that line, which would make aromatic bonds single:
    it skips the line after ``G``, an obsolete abbreviation record, which Open Babel ignores. ``M  HYD`` gives both the
    hydrogens.
    """
    atoms = [atom for atom in mol.GetAtoms() if atom.GetIsAromatic() and atom.GetAtomicNum() != 6]
    with_hydrogens = [(atom.GetIdx() + 1, atom.GetTotalNumHs()) for atom in atoms if atom.GetTotalNumHs()]
    if not with_hydrogens and not any(atom.GetFormalCharge() for atom in atoms):
        return
    assigned = Chem.Mol(mol)
    Chem.Kekulize(assigned)
    bonds = [bond.GetIdx() for bond in mol.GetBonds() if bond.GetIsAromatic()]
    for line in _entries("ZBO", [(k + 1, int(assigned.GetBondWithIdx(k).GetBondTypeAsDouble())) for k in bonds]):
        yield from ("G    1  1", line)
    yield from _entries("HYD", with_hydrogens)


def _entries(name: str, pairs: Sequence[tuple[int, int]]) -> Iterator[str]:
    for part in (pairs[start : start + 8] for start in range(0, len(pairs), 8)):
        yield f"M  {name}{len(part):3d}" + "".join(f" {first:3d} {second:3d}" for first, second in part)


def params_text(side: Side, letters: str, head: str, anchor: int) -> str:
    """Return the parameters of PRosettaC's manual mode with the other side left open.

    It reads six lines by their order, the E3 ligase first; missing values are placeholders in capitals, which stop the
    program at once.

    Parameters
    ----------
    side : Side
        The side that is known.
    letters : str
        Chains of its protein.
    head : str
        File name of its head.
    anchor : int
        1-based number of its anchor.
    """
    own = (side.protein_file, letters, head, str(anchor))
    name = side.other.name
    open_end = (f"{name}.pdb", f"{name.upper()}_CHAINS", f"{name}_head.sdf", f"{name.upper()}_ANCHOR")
    return pair_params((own, open_end) if side.number == 1 else (open_end, own))


def pair_params(sides: Sequence[tuple[str, str, str, str]]) -> str:
    """Return the parameters of both sides, that of the E3 ligase first.

    Parameters
    ----------
    sides : sequence of (str, str, str, str)
        Structure, chains, head and 1-based number of its anchor, for each side.
    """
    keys = ("Structures", "Chains", "Heads", "Anchor atoms")
    lines = [f"{key}: {a} {b}" for key, a, b in zip(keys, *sides, strict=True)]
    return "\n".join([*lines, "Protac: protac.smi", "Full: True"]) + "\n"


def _head_file(half: LigandHalf) -> str:
    return f"{half.side.name}_head_{half.number}.sdf"


def _site(half: LigandHalf) -> SiteFiles:
    """Return head and parameters of an exit."""
    ligand, number, sanitised = half.ligand, half.number, half.ligand.molecule.sanitised
    warhead = with_bonds_of_open_babel(half.warhead) if sanitised else half.warhead
    head, params = f"prosettac/{_head_file(half)}", f"prosettac/Protac_params_{number}.txt"
    anchor, alike = warhead.anchor + 1, [k + 1 for k in warhead.alike]
    fields = {"anchor": str(anchor), "anchor_atom": ligand.graph.names[half.cut[0]], "SMILES": half.smiles}
    sdf = head_sdf(warhead, f"{ligand.instance.stem} exit site {number}", fields, kekulize=sanitised)
    converted = {}
    if half.babel is not None:
        outcome = anchor_after_round_trip(half.babel, sdf, warhead.anchor)
        converted = {"open_babel": {"outcome": outcome, "version": half.babel.version}}
    return SiteFiles(
        {head: sdf, params: params_text(half.side, half.protein.chains, _head_file(half), anchor)},
        {"head": head, "anchor": anchor, "unique": not alike, "alike": alike, **converted, "params": params},
        {"head_anchor": anchor, "anchor_unique": not alike, "alike_atoms": JOINED.join(map(str, alike))},
    )


def _readme(side: Side, written: Written) -> str:
    sites = {half.number: made["prosettac"].summary for half, made in written.items()}
    alike = {number: " and ".join(map(str, one["alike"])) for number, one in sites.items()}
    checks = (f"site {number} {f'the same as atom {same}' if same else 'unique'}" for number, same in alike.items())
    return text_of("prosettac").format(
        side=side.name,
        other=side.other.says,
        anchors="; ".join(f"site {number} atom {one['anchor']}" for number, one in sites.items()),
        checks="; ".join(checks),
        babel=_converted({number: one["open_babel"] for number, one in sites.items() if "open_babel" in one}),
    )


def _converted(tried: Mapping[int, Mapping[str, str]]) -> str:
    """Return the result of the conversion for each anchor by the number of its site."""
    if not tried:
        return " The conversion was not tried."
    outcomes = {number: one["outcome"] for number, one in tried.items()}
    says = "; ".join(f"site {number} {outcome}" for number, outcome in outcomes.items())
    trouble = "".join(f" {code}: {OUTCOMES[code]}" for code in (OTHER, LOST) if code in outcomes.values())
    return f" With Open Babel {next(iter(tried.values()))['version']}: {says}.{trouble}"


def _halves(halves: Halves) -> dict[str, str]:
    """Return the parameters of both halves, and the degrader."""
    files = {}
    if len(halves.ordered) > 1:
        sides = [
            (half.side.protein_file, half.protein.chains, _head_file(half), str(half.warhead.anchor + 1))
            for half in halves.ordered
        ]
        files["prosettac/Protac_params.txt"] = pair_params(sides)
    if halves.degrader:
        files["prosettac/protac.smi"] = degrader_line(halves.degrader)
    return files


PROGRAM = Program(_readme, site=_site, halves=_halves, pair=text_of("prosettac_pair"))
