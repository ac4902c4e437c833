"""Properties that files of other programs have, in any combination: the ligand and its molecule stay the same."""

import bz2
import gzip
import lzma
import tarfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import gemmi
import pytest
from hypothesis import Phase, given, settings, strategies as st
from rdkit import Chem
from rdkit.Chem.AllChem import AssignBondOrdersFromTemplate

from tests.tethermap.sources.own.ligands import ligands_among
from tests.tools.components import without_stereo
from tests.tools.runs import ROOT
from tests.workflow.test_foreign_files import GEFITINIB
from tethermap.components.index import ComponentIndex
from tethermap.entry.reader import EntryError

EXAMPLES = 35
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress,
}  # fmt: skip
LINE_ENDS = st.sampled_from(["\n", "\r\n", "\r"])
NEEDED = frozenset({"Cartn_x", "Cartn_y", "Cartn_z"})
"""Items of atoms that nothing else gives."""
NAMED = ("atom_id", "comp_id", "asym_id", "seq_id")
"""Items that the author's name or the archive's gives."""


@cache
def lines() -> tuple[str, ...]:
    """Return the atoms of EGFR near gefitinib (2ITY, code LIG) in the format of the wwPDB."""
    with tarfile.open(ROOT / "tests" / "data" / "program_files.tar.xz") as tar:
        file = tar.extractfile("./openmm-pdb-ids/x.pdb")
        assert file is not None
        text = file.read().decode()
    found = [line for line in text.splitlines() if line.startswith(("ATOM", "HETATM"))]
    return tuple(f"{line[:60]}{20.0:6.2f}          {line[76:78]}  " for line in found)


def molecules(data: bytes, name: str, index: ComponentIndex) -> list[tuple[str, str]]:
    """Return chain and SMILES of each ligand of a file that a user gives under a name."""
    with TemporaryDirectory() as folder:
        own = Path(folder) / "own"
        own.mkdir()
        (own / name).write_bytes(data)
        (found,) = ligands_among(own, Path(folder) / "cache", index).values()
        return [(one.instance.name.auth_asym_id, one.smiles) for one in found]


ELEMENTS: dict[str, Callable[[str, str], str]] = {
    "in its columns": lambda line, _: line,
    "left-justified": lambda line, element: f"{line[:76]}{element:<2}  ",
    "lower case": lambda line, element: f"{line[:76]}{element.lower():>2}  ",
    "an atom type": lambda line, element: f"{line[:76]}{element.lower() + '3':<4}",
    "with a charge 0": lambda line, element: f"{line[:76]}{element:>2} 0",
    "none": lambda line, _: line[:66],
    "none, blanks": lambda line, _: f"{line[:66]:<80}",
    "as segment": lambda line, element: f"{line[:72]}{element:<4}    ",
    "id of the entry": lambda line, _: f"{line[:72]}2ITY{int(line[6:11]) % 10000:4d}",
}
NAMES: dict[str, Callable[[str], str]] = {
    "by the format": lambda line: line,
    "from column 14": lambda line: f"{line[:12]} {line[12:16].strip():<3}{line[16:]}",
    "from column 13": lambda line: f"{line[:12]}{line[12:16].strip():<4}{line[16:]}",
    "to column 16": lambda line: f"{line[:12]}{line[12:16].strip():>4}{line[16:]}",
}


@settings(max_examples=EXAMPLES, deadline=None, phases=[Phase.generate])
@given(
    elements=st.sampled_from(sorted(ELEMENTS)),
    names=st.sampled_from(sorted(NAMES)),
    record=st.sampled_from(["ATOM  ", "HETATM"]),
    chain=st.sampled_from(["A", " ", "B", "z", "7", "-"]),
    end=LINE_ENDS,
    ends=st.sampled_from(["last", "none", "between", "both", "TER", "models"]),
    ending=st.sampled_from([".pdb", ".ent", ".pdb1", ".PDB", ".txt", ".pdb.txt", ".brk"]),
    packer=st.sampled_from(sorted(PACKERS)),
    bom=st.booleans(),
    ligand_first=st.booleans(),
    wide_b=st.booleans(),
)
def test_pdb_files_of_any_habits_give_the_ligand(
    index: ComponentIndex, *, elements: str, names: str, record: str, chain: str, end: str, ends: str, ending: str,
    packer: str, bom: bool, ligand_first: bool, wide_b: bool,
) -> None:  # fmt: skip
    protein, ligand = list[str](), list[str]()
    for line in lines():
        is_ligand, element = line[17:20] == "LIG", line[76:78].strip()
        made = ELEMENTS[elements](NAMES[names](line) if len(line[12:16].strip()) < 4 else line, element)
        made = f"{made[:60]}1234.50{made[66:]}" if wide_b else made  # too wide by one: the following columns move
        (ligand if is_ligand else protein).append(f"{record}{made[6:21]}{chain}{made[22:]}" if is_ligand else made)
    parts = [ligand, protein] if ligand_first else [protein, ligand]
    between = {"between": ["END"], "both": ["END"], "TER": ["TER"], "models": ["END", "MODEL        1"]}.get(ends, [])
    last = {"none": [], "between": [], "models": ["ENDMDL", "END"]}.get(ends, ["END"])
    text = end.join([*parts[0], *between, *parts[1], *last, ""])
    data = PACKERS[packer]((b"\xef\xbb\xbf" if bom else b"") + text.encode())
    ((_, smiles),) = molecules(data, f"x{ending}{packer}", index)
    assert smiles == without_stereo(GEFITINIB)


def test_orders_of_conect_records_are_used(index: ComponentIndex) -> None:
    """Double bonds are mentioned twice; one in the morpholine, that the coordinates do not show, proves it."""
    text = "\n".join(line.replace(" LIG ", " UNL ") for line in lines())
    block = "\n".join(line for line in text.splitlines() if " UNL " in line)
    template, model = Chem.MolFromSmiles(GEFITINIB), Chem.MolFromPDBBlock(block)
    ligand = AssignBondOrdersFromTemplate(template, model)  # type: ignore[no-untyped-call]
    edited = Chem.RWMol(ligand)
    (carbons,) = ligand.GetSubstructMatches(Chem.MolFromSmarts("[CH2]-[CH2]-O-[CH2]-[CH2]-N"))
    edited.GetBondBetweenAtoms(*carbons[:2]).SetBondType(Chem.BondType.DOUBLE)
    Chem.SanitizeMol(edited)
    records = [line for line in Chem.MolToPDBBlock(edited).splitlines() if line.startswith("CONECT")]
    serials = [int(line[6:11]) for line in block.splitlines()]
    made = ["CONECT" + "".join(f"{serials[int(word) - 1]:5d}" for word in line.split()[1:]) for line in records]
    ((_, smiles),) = molecules("\n".join([text, *made, "END", ""]).encode(), "x.pdb", index)
    assert smiles == Chem.MolToSmiles(edited)


@cache
def atom_site() -> dict[str, list[str]]:
    """Return the items of the atoms from gemmi."""
    structure = gemmi.read_pdb_string("\n".join([*lines(), "END\n"]))
    structure.setup_entities()
    block = structure.make_mmcif_document()[0]
    tags = block.find_loop("_atom_site.Cartn_x").get_loop().tags
    items = {tag.removeprefix("_atom_site."): list(block.find_values(tag)) for tag in tags}
    return {**items, **{f"auth_{name}": items[f"label_{name}"] for name in ("atom_id", "comp_id")}}


@st.composite
def items(draw: st.DrawFn) -> list[str]:
    """Draw items of atoms in any order, without some items that follow from others."""
    needed = NEEDED | {f"{draw(st.sampled_from(['auth', 'label']))}_{name}" for name in NAMED}
    others = sorted(atom_site().keys() - needed)
    return draw(st.permutations(sorted(needed | draw(st.sets(st.sampled_from(others))))))


@settings(max_examples=EXAMPLES, deadline=None, phases=[Phase.generate])
@given(
    tags=items(),
    indent=st.sampled_from(["", "  ", "\t"]),
    capital=st.booleans(),
    quoted=st.booleans(),
    end=LINE_ENDS,
    ending=st.sampled_from([".cif", ".mmcif", ".CIF", ".txt", ".cif.txt"]),
    packer=st.sampled_from(sorted(PACKERS)),
    bom=st.booleans(),
    hash_last=st.booleans(),
)
def test_mmcif_files_of_any_items_give_the_ligand(
    index: ComponentIndex, *, tags: list[str], indent: str, capital: bool, quoted: bool, end: str, ending: str,
    packer: str, bom: bool, hash_last: bool,
) -> None:  # fmt: skip
    head = ["data_model", "#", "loop_", *(f"{indent}_atom_site.{tag.upper() if capital else tag}" for tag in tags)]
    columns = [[f"'{cell}'" if quoted and tag.endswith("_atom_id") and not {*cell} & {*"'\""} else cell
                for cell in atom_site()[tag]] for tag in tags]  # fmt: skip
    rows = [indent + " ".join(cells) for cells in zip(*columns, strict=True)]
    text = end.join([*head, *rows, *(["#"] if hash_last else []), ""])
    data = PACKERS[packer]((b"\xef\xbb\xbf" if bom else b"") + text.encode())
    ((chain, smiles),) = molecules(data, f"x{ending}{packer}", index)
    label = atom_site()["label_asym_id"][atom_site()["auth_comp_id"].index("LIG")]
    assert (chain, smiles) == ("A" if "auth_asym_id" in tags else label, without_stereo(GEFITINIB))


def with_chains(chain: str) -> bytes:
    """Return an mmCIF file with another name of all chains."""
    columns = {**atom_site(), **dict.fromkeys(("auth_asym_id", "label_asym_id"), [chain] * len(lines()))}
    head = ["data_model", "loop_", *(f"_atom_site.{tag}" for tag in columns)]
    return "\n".join([*head, *(" ".join(cells) for cells in zip(*columns.values(), strict=True)), ""]).encode()


@pytest.mark.parametrize("chain", ["A", "AA", "A1", "B-2", "chain_7", "A/B", "l", "1", "Prot_A"])
def test_chain_of_any_name_is_kept(chain: str, index: ComponentIndex) -> None:
    assert molecules(with_chains(chain), "x.cif", index) == [(chain, without_stereo(GEFITINIB))]


def test_chain_with_a_name_beyond_seven_letters_is_refused_by_name(index: ComponentIndex) -> None:
    with pytest.raises(EntryError, match="chainLongName is too long"):
        molecules(with_chains("chainLongName"), "x.cif", index)
