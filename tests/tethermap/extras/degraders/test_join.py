"""Degraders made of two halves and a linker, and taken apart again."""

import random
from collections import Counter

import pytest
import yaml
from rdkit import Chem
from rdkit.Chem import rdMolDescriptors

from tests.tools.bench_degraders import both_ways, linker_of, published, regenerated
from tests.tools.exits import embedded, graph_of
from tests.tools.runs import ROOT
from tethermap.answers.observed.transfer import leaving_bonds
from tethermap.base.reference import rows_of
from tethermap.exits.words import CHEMISTRY
from tethermap.extras.degraders.build import contacts_of_half, made_cut, part_of_smiles, reactive_group, what_to_do
from tethermap.extras.degraders.ends import End, end_of, groups, to_make
from tethermap.extras.degraders.join import SECOND_HALF, Linker, degraders, made_of, read_linkers

OTHER_CONFIGURATION = {"GBW"}
"""Its hydroxyproline has the other configuration than the recruiter that is in the list."""

LIST = read_linkers()


def canonical(smiles: str) -> str:
    """Return canonical SMILES."""
    return str(Chem.MolToSmiles(Chem.MolFromSmiles(smiles)))


def half(smiles: str) -> End:
    """Return a half that a common reaction joins."""
    end = end_of(smiles)
    assert end is not None
    return end


def test_published_degraders_are_rebuilt_from_their_halves_and_the_list() -> None:
    made = regenerated(LIST)
    assert {name for name, linker in made.items() if not linker} == OTHER_CONFIGURATION
    assert len(made) >= 27
    told = {row["name"]: int(row["degraders"]) for row in rows_of("linkers")}
    assert {name: count for name, count in told.items() if count} == Counter(filter(None, made.values()))


def test_linkers_match_their_list() -> None:
    assert len(LIST) >= 60
    assert len({linker.name for linker in LIST}) == len(LIST)
    for linker in LIST:
        mol = Chem.MolFromSmiles(linker.smiles)
        ends = {atom.GetAtomMapNum(): atom.GetIdx() for atom in mol.GetAtoms() if atom.GetAtomicNum() == 0}
        assert len(Chem.GetShortestPath(mol, ends[1], ends[2])) - 2 == linker.length
    assert all("doi:10." in row["source"] for row in rows_of("linkers"))


GROUPS = yaml.safe_load((ROOT / "tests/data/degrader_groups.yaml").read_text(encoding="utf-8"))
HALVES: dict[str, tuple[str, list[str]]] = GROUPS["halves"]
"""A half of each functional group, and its starting material."""

MADE: dict[str, str] = GROUPS["products"]
"""Products of each reaction."""


_OF_END = {"C": "[*:1]CCC[*:2]", "c": "[*:1]c1ccc(C[*:2])cc1", "N": "[*:1]N1CCN(CC[*:2])CC1"}
ENDS = {kind: Linker("", smiles, 0, "") for kind, smiles in _OF_END.items()}
"""A linker for each kind of end in the words of `Join.ends`."""


def test_each_functional_group_names_its_starting_material() -> None:
    assert set(HALVES) == set(groups())
    for group, (smiles, wanted) in HALVES.items():
        end = half(smiles)
        assert end.handle == group
        assert list(to_make(end)) == [canonical(one) for one in wanted], group


@pytest.mark.parametrize(
    ("smiles", "azole"),
    [
        ("n1(C(=O)[*])ccnc1", "[nH]1ccnc1"),
        ("n1(C(=O)N[*])cccc1", "[nH]1cccc1"),
        ("n1(C(=O)O[*])ccc2ccccc21", "[nH]1ccc2ccccc21"),
        ("n1(C(=O)C[*])nccc1", "[nH]1nccc1"),
    ],
)
def test_azole_is_the_starting_material_of_its_acyl_compound(smiles: str, azole: str) -> None:
    assert next(iter(to_make(half(smiles)))) == canonical(azole)


def test_each_reaction_is_possible_at_the_ends_in_its_row() -> None:
    other = half("C[C@H](F)c1ccc(O[*])cc1")
    rows = rows_of("reactions")
    assert {row["reaction"] for row in rows} == set(MADE)
    for row in rows:
        assert (bool(row["needs"]), "doi:10." in row["reference"]) == (True, True)
        end = part_of_smiles(HALVES[row["group"]][0], second=False).end
        wanted = (row["reaction"], row["bridge"], row["end"])
        (join,) = (one for one in end.joins if (one.name, one.bridge, one.ends) == wanted)
        assert all(made_of(end, other, ENDS[code], (join, other.joins[0])) for code in row["end"]), row


@pytest.mark.parametrize(
    "smiles",
    [
        "[*]NC(=N)C",
        "C[Si](C)(C)[*]",
        "C=C[*]",
        "O=P(O)(O)O[*]",
        "CC=C(C)N[*]",
        "CC(=O)S[*]",
        "CCNC(=S)N[*]",
        "CC(=S)N(C)[*]",
    ],
)
def test_exit_without_a_common_reaction_has_no_handle(smiles: str) -> None:
    assert end_of(smiles) is None


def test_amine_bound_by_the_ligase_as_amide_is_never_alkylated() -> None:
    vhl = half("[*]N[C@H](C(=O)N1C[C@H](O)C[C@H]1C(=O)NCc1ccc(-c2scnc2C)cc1)C(C)(C)C")
    assert {one.name for one in vhl.joins} == {"amide"}


@pytest.mark.parametrize(
    ("first", "second", "degrader"),
    [
        ("CC(=O)N[*]", "c1ccccc1O[*]", "CC(=O)NCCOCCOc1ccccc1"),
        ("CC(=O)N[*]", "[*]C(=O)NC", "CC(=O)NCCCCC(=O)NC"),
        ("Cc1ccc([*])cc1", "CC(=O)[*]", "Cc1ccc(cc1)C#CCNC(C)=O"),
        ("Cc1ccc([*])cc1", "[*]NCC", "Cc1ccc(cc1)C#CCCCC(=O)NCC"),
        ("CN1CCN([*])CC1", "[*]N[C@@H](C)C(=O)NC", "CN1CCN(CC(=O)N[C@@H](C)C(=O)NC)CC1"),
        ("Cc1ccc([*])cc1", "[*]N[C@@H](C)C(=O)NC", "Cc1ccc(cc1)N1CCN(CC(=O)N[C@@H](C)C(=O)NC)CC1"),
        ("Cc1ccc([*])cc1", "c1ccccc1[*]", "Cc1ccc(cc1)N1CCC(CC1)CN1CCN(CC1)c1ccccc1"),
        ("CCN([*])C", "CCN([*])C", "CCN(C)C(=O)NCCCCN(C)CC"),
        ("CCO[*]", "c1ccccc1O[*]", "CCOC(=O)NCCCOc1ccccc1"),
        ("CC(=O)[*]", "c1ccccc1O[*]", "CC(=O)N(C)CCCOc1ccccc1"),
    ],
)
def test_published_molecules_are_built(first: str, second: str, degrader: str) -> None:
    assert linker_of(half(first), half(second), canonical(degrader), both_ways(LIST))


def test_alkyne_is_clicked_to_a_triazole() -> None:
    first, second = half("c1ccccc1C#C[*]"), half("CC(=O)[*]")
    made = {one.smiles for one in degraders(first, second, [linker for linker in LIST if linker.name == "C3"])}
    assert "CC(=O)NCCCn1cc(-c2ccccc2)nn1" in made


CHIRAL = [
    "C[C@H](F)C(=O)[*]", "C[C@@H](F)N[*]", "C[C@H](F)C(=O)N[*]", "C[C@H](F)c1ccc(O[*])cc1", "C[C@H](F)C#C[*]",
    "C[C@H](F)c1ccc([*])cc1", "C[C@H](F)C[*]", "C[C@H](F)S(=O)(=O)[*]", "C[C@H](F)CS[*]",
]  # fmt: skip


def test_random_molecules_are_stable_and_have_the_group_of_their_reaction_at_the_linker() -> None:
    """Halves of the literature, of `HALVES` and `CHIRAL`, linkers and reactions drawn with a fixed seed."""
    draw = random.Random(40)
    smiles = sorted({row[side] for row in published() for side in ("target_half", "recruiter_half")})
    smiles += [*(one for one, _ in HALVES.values()), *CHIRAL]
    both = [[part_of_smiles(one, second).end for one in smiles] for second in (False, True)]
    patterns = {name: Chem.MolFromSmarts(pattern) for name, pattern in MADE.items()}
    unstable = [Chem.MolFromSmarts(smarts) for smarts in ("C#C[CH2]C=O", "[#7,#8,#16][CH2;!R][#7,#8,#16]")]
    used: Counter[str] = Counter()
    for first, join in 3 * [(end, join) for end in both[0] for join in end.joins]:
        ends = (first, draw.choice(both[1]))
        joins, linker = (join, draw.choice(ends[1].joins)), draw.choice(LIST)
        made = made_of(*ends, draw.choice((linker, linker.turned(), ENDS[join.ends[0]])), joins)
        if made is None:
            continue
        used.update(join.name for join in joins)
        mol = Chem.MolFromSmiles(made.smiles)
        assert (mol is not None, "." in made.smiles) == (True, False)
        assert not any(map(mol.HasSubstructMatch, unstable)), made.smiles
        assert not any(atom.GetNumRadicalElectrons() for atom in mol.GetAtoms())
        own = [rdMolDescriptors.CalcNumAtomStereoCenters(end.mol) for end in ends]
        assert rdMolDescriptors.CalcNumAtomStereoCenters(mol) >= sum(own)
        side = [(atom.GetAtomMapNum() > 0) + (atom.GetAtomMapNum() > SECOND_HALF) for atom in made.mol.GetAtoms()]
        bonds = [(b.GetBeginAtomIdx(), b.GetEndAtomIdx()) for b in made.mol.GetBonds()]
        for number, own_join in enumerate(joins, 1):
            cut = {k for pair in bonds for k in pair if {side[one] for one in pair} == {0, number}}
            assert cut
            near = cut | {o.GetIdx() for k in cut for o in made.mol.GetAtomWithIdx(k).GetNeighbors()}
            matches = made.mol.GetSubstructMatches(patterns[own_join.name])
            assert any(near & set(match) for match in matches), (own_join.name, made.smiles)
    assert set(used) == set(MADE)


def test_contacts_of_the_other_half_are_not_lost() -> None:
    """If a degrader's other half leaves, its contacts with the other protein do not count as lost."""
    common = {"type": "hbond", "partner_component": "ASN", "partner_residue": "9"}
    rows = [
        {"ligand_atom": name, "partner_chain": chain, **common}
        for name, chain in (("C1", "A"), ("C2", "A"), ("C3", "B"))
    ]
    group = {"C2", "C3"}
    half_ = group | {f"N{k}" for k in range(12)}
    assert contacts_of_half(rows, group, ("A",)) == {"contacts_lost": ["hbond ASN 9"], "contacts_kept": 1}
    assert contacts_of_half(rows, half_, ("A",)) == {"contacts_lost": ["hbond ASN 9"], "contacts_kept": 1}
    assert contacts_of_half(rows[::2], half_, ("A",)) == {"contacts_lost": [], "contacts_kept": 1}


@pytest.mark.parametrize(
    ("handle", "chem_class", "moved", "words"),
    [
        ("acid", "O-methyl", True, "make an amide or ester with the linker"),
        ("acid", "acid O-H", True, "make an amide or ester with the linker"),
        ("oxycarbonyl", "carbonyl C, O or N leaves", False, "make another carbamate or a urea with the linker"),
        ("amine", "other", True, "acylate the freed amine with the linker"),
        ("aryl amine", "other", True, "acylate the freed amine with the linker"),
        ("amino acid N", "other", True, "acylate the freed amine with the linker"),
        ("amino acid N", "amide N, acyl leaves", False, "acylate the freed amine with the linker"),
        ("amino acid N", "amine N-H", False, "acylate the amine"),
        ("amine", "amine N-H", False, "alkylate or acylate the amine"),
        ("phenol O-CH2", "O-methyl", False, "lengthen the methoxy group into an ether linker"),
        ("", "vinyl C-H", False, "needs a handle on the double bond"),
    ],
)
def test_words_of_a_half_agree_with_its_starting_material(
    handle: str, chem_class: str, moved: bool, words: str
) -> None:
    """The methyl of an ester is no ether, and an acid is not limited to esters: their halves are made from the acid."""
    assert what_to_do(handle, CHEMISTRY[chem_class], moved) == words


@pytest.mark.parametrize(
    ("drawn", "adduct", "advised"),
    [
        ("CCC(=O)Nc1ccccc1", "*SCCC(=O)Nc1ccccc1", True),
        ("C=CC(=O)Nc1ccccc1", "*SCCC(=O)Nc1ccccc1", False),
        ("C[C@H](O)C(=O)NC", "*S[C@](C)(O)C(=O)NC", True),
        ("CC(=O)C(=O)NC", "*S[C@](C)(O)C(=O)NC", False),
        ("N#Cc1cccc2[nH]ccc12", "*SC(=N)c1cccc2[nH]ccc12", False),
        ("CB(O)O", "*O[B-](C)(O)O", False),
        ("CB(O)O", "", False),
    ],
)
def test_reactive_group_is_put_back_only_if_the_molecule_is_that_of_the_bound_form(
    drawn: str, adduct: str, *, advised: bool
) -> None:
    assert bool(reactive_group(embedded(drawn)[1].mol, adduct, "ligand")) == advised


def test_numbers_select_the_molecules_that_are_made() -> None:
    first, second = half("CC(=O)[*]"), half("c1ccccc1O[*]")
    linkers = LIST[:20]
    made = list(degraders(first, second, linkers))
    again = degraders(first, second, linkers, numbers={one.number for one in made[3:6]})
    assert [(one.smiles, one.number) for one in again] == [(one.smiles, one.number) for one in made[3:6]]


def test_atoms_of_both_halves_keep_their_numbers() -> None:
    first, second = half("[CH3:1][C:2](=[O:3])[*]"), half(f"[CH3:{SECOND_HALF + 1}][O:{SECOND_HALF + 2}][*]")
    one = next(degraders(first, second, LIST))
    numbers = {atom.GetAtomMapNum() for atom in one.mol.GetAtoms()} - {0}
    assert numbers == {1, 2, 3, SECOND_HALF + 1, SECOND_HALF + 2}
    assert ":" not in one.smiles


@pytest.mark.parametrize(
    ("ligand", "anchor", "leaving", "kept"),
    [
        ("CCCC(=O)Nc1ccccc1", 3, (2, 1, 0), {3: False, 5: True}),
        ("CCOC(=O)c1ccccc1", 3, (2, 1, 0), {3: True, 2: False}),
        ("CCCC(=O)c1ccccc1", 3, (2, 1, 0), {3: True, 2: False}),
    ],
)
def test_acyl_chain_of_an_amide_belongs_to_the_linker(
    ligand: str, anchor: int, leaving: tuple[int, ...], kept: dict[int, bool]
) -> None:
    atom, gone = made_cut(graph_of(ligand), anchor, leaving)
    assert {k: k not in gone for k in kept} == kept
    assert atom == next(k for k, stays in kept.items() if stays)


def test_degrader_is_split_at_its_linker() -> None:
    row = next(row for row in published() if row["name"] == "dBET6")
    degrader = Chem.MolFromSmiles(row["smiles"])
    ester = Chem.MolFromSmiles("COC(=O)C[C@@H]1N=C(c2ccc(Cl)cc2)c2c(sc(C)c2C)-n2c(C)nnc21")
    (anchor, linker), inside = next(leaving_bonds(degrader, ester))
    assert len(inside) == ester.GetNumAtoms() - 2
    assert degrader.GetAtomWithIdx(anchor).GetSymbol() == "C"
    assert degrader.GetAtomWithIdx(linker).GetSymbol() == "N"
