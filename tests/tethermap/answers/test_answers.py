"""One answer for each ligand and exit site from all its copies, the order over ligands, and their sentences."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rdkit import Chem

from tests.tethermap.answers.pockets.test_groups import KINASE, PROTEASE, an_exit, member
from tests.tethermap.answers.pockets.test_sites import touching
from tests.tools.exits import embedded
from tethermap.answers.names import group_name, is_nucleotide, leaving_name
from tethermap.answers.pockets.directions import CopyExit
from tethermap.answers.pockets.groups import grouped
from tethermap.answers.rows import KnownLigands, answer_rows
from tethermap.answers.sites import SiteAnswer, answers_of
from tethermap.base.reference import rows_of as rows_of_table
from tethermap.base.tables import Value
from tethermap.exits.candidates import cuts
from tethermap.exits.graph import ligand_graph
from tethermap.exits.prior import chemistry_class
from tethermap.exits.sites import site_numbers
from tethermap.exits.words import Action, action_sentence, is_advised
from tethermap.molecule.record import LigandMolecule, atom_keys

LARGE = "CC(C)c1ccccc1CCN"
"""Atoms: two equivalent methyls (0, 2), a phenyl, an ethylamine (9, 10, 11)."""

SMALL = "Cc1ccccc1"
AMP_PNP = "Nc1ncnc2c1ncn2C1OC(COP(=O)(O)OP(=O)(O)NP(=O)(O)O)C(O)C1O"


def molecule(code: str, smiles: str) -> LigandMolecule:
    return replace(embedded(smiles)[1], component_names=code, comp_id=code, inchikey=code)


def exit_at(mol: LigandMolecule, atom: int, **changed: Any) -> CopyExit:
    return an_exit(atoms=frozenset({atom_keys(mol)[atom]}), **changed)


def rows_of(*copies: tuple[LigandMolecule, CopyExit, bool]) -> list[dict[str, Value]]:
    """Return the answers of copies with one exit each, complete or not, all in one binding site."""
    members = []
    molecules: dict[str, LigandMolecule] = {}
    for k, (mol, exit_, complete) in enumerate(copies):
        one = touching(member(f"{k}aaa", KINASE, exit_), 1, 2, 3)
        members.append(replace(one, component=mol.comp_id, complete=complete))
        molecules.setdefault(mol.comp_id, replace(mol, stem=one.stem))
    return list(answer_rows("target", grouped(members), known(molecules)))


def sites_of(mol: LigandMolecule) -> tuple[int, ...]:
    return site_numbers(ligand_graph(mol))


def known(molecules: dict[str, LigandMolecule]) -> KnownLigands:
    return KnownLigands({}, molecules, {code: sites_of(mol) for code, mol in molecules.items()})


def order(*ligands: tuple[str, str, dict[str, Any]]) -> list[dict[str, Value]]:
    """Return the best answers of ligands with one exit each by their rank in the job."""
    made = [(molecule(code, smiles), changed) for code, smiles, changed in ligands]
    rows = rows_of(*((mol, exit_at(mol, 0, **changed), True) for mol, changed in made))
    assert [row["job_rank"] for row in rows] == list(range(1, len(rows) + 1))
    return rows


MOLECULE = molecule("LIG", LARGE)
KEYS = atom_keys(MOLECULE)


def at(atom: int, score: float, **changed: Any) -> CopyExit:
    """Return an exit of `LARGE`, for both of its equivalent methyls."""
    atoms = frozenset({KEYS[0], KEYS[2]}) if atom in (0, 2) else frozenset({KEYS[atom]})
    return an_exit(atoms=atoms, score=score, **changed)


def answers(*copies: Sequence[CopyExit], mol: LigandMolecule = MOLECULE) -> list[SiteAnswer]:
    """Return the answers of copies with the given exits, each of another entry."""
    return answers_of([member(f"{k}aaa", KINASE, *exits) for k, exits in enumerate(copies)], mol, sites_of(mol))


def test_exit_open_in_most_copies_precedes_one_with_a_better_score() -> None:
    first, second = answers(*([at(11, 1.0), at(0, 2.0, room=room)] for room in (0.4, 0.0, 0.0)))
    assert (first.anchor, len(first.opened), first.n_copies) == (MOLECULE.names[11], 3, 3)
    assert (second.anchor, len(second.opened)) == (MOLECULE.names[0], 1)


def test_copies_are_matched_by_symmetry_and_the_most_frequent_atom_is_reported() -> None:
    (answer,) = answers([at(0, 1.0)], [at(2, 1.4)])
    assert {answer.anchor, *answer.equivalents} == {MOLECULE.names[0], MOLECULE.names[2]}
    assert answer.score == pytest.approx(1.2)
    assert answer.n_entries == 2


def test_both_ends_of_a_symmetric_ligand_are_one_answer() -> None:
    symmetric = molecule("LIG", "NCCc1ccc(cc1)-c1ccc(cc1)CCN")
    keys = atom_keys(symmetric)
    ends, middles = frozenset({keys[0], keys[17]}), frozenset({keys[1], keys[16]})
    exits = [an_exit(atoms=atoms, score=score) for atoms, score in ((ends, 1.0), (middles, 2.0))]
    (answer,) = answers(exits, exits, mol=symmetric)
    assert answer.atoms == middles


def test_displayed_copy_is_open_then_best_observed_then_best_scored() -> None:
    closed, doubtful = at(11, 3.0, room=0.0), at(11, 2.0, evidence="C")
    (answer,) = answers([closed], [doubtful], [at(11, 1.0, evidence="B")])
    assert answer.best[0].stem == "2aaa_A_LIG_1"


@pytest.mark.parametrize(
    ("other", "freed", "first"),
    [(0.4, 0.4, False), (0.0, 0.4, True), (0.4, 0.0, False), (0.0, 0.0, False)],
    ids=["both open", "only the freed one open", "only the other open", "both closed"],
)
def test_cut_that_frees_a_covalent_bond_is_first_only_if_all_others_are_closed(
    other: float, freed: float, *, first: bool
) -> None:
    found = answers([at(11, 3.0, room=freed, frees_link=True), at(0, 1.0, room=other)])
    assert [answer.frees_link for answer in found] == [first, not first]


def test_copies_elsewhere_or_between_symmetry_mates_do_not_affect_the_main_site() -> None:
    good, bad = at(11, 1.0), at(11, 9.0, room=0.0)
    main = [touching(member(f"{k}aaa", KINASE, good), 1, 2, 3) for k in range(3)]
    packed = replace(touching(member("8bbb", KINASE, bad), 1, 2, 3), packed=True)
    aside, other = touching(member("9ccc", KINASE, bad), 60, 61), touching(member("7ddd", PROTEASE, bad, fold=1), 5, 6)
    members = [*(replace(one, protein="EGFR") for one in (*main, packed, aside)), other]
    ligands = known({"LIG": replace(MOLECULE, stem=members[0].stem)})
    rows = list(answer_rows("EGFR", grouped(members), ligands))
    first = rows[0]
    assert (first["site"], first["n_copies"], first["n_open"], first["score_median"]) == ("main", 3, 3, 1.0)
    assert (first["protein"], first["job_rank"], first["answer_rank"]) == ("EGFR", 1, 1)
    assert [(row["group"], row["site"], row["job_rank"]) for row in rows[1:]] == [
        ("G2", "main", 2), ("G1", "other_1", None)
    ]  # fmt: skip
    assert "8bbb" not in str([row["stems"] for row in rows])


def test_blocked_answer_has_a_sentence_for_it_and_names_a_group_that_the_most_complete_copy_lacks() -> None:
    (row,) = order(("LIG", LARGE, {"room": 0.0, "kind": "cut", "leaving": "X1;X2"}))
    assert str(row["action"]).startswith("No good way out; the least bad is")
    assert (row["closed"], row["leaving_atoms"]) == (True, "X1;X2")


@pytest.mark.parametrize(("carbon", "chlorine"), [(1, 0), (5, 6)])
def test_leaving_group_is_bonded_to_the_anchor_of_its_answer(carbon: int, chlorine: int) -> None:
    """Of two equivalent carbons, the answer named the first with the chlorine of the second."""
    mol = molecule("LIG", "Clc1cccc(Cl)c1CCCCN")
    keys = atom_keys(mol)
    cut = an_exit(
        atoms=frozenset({keys[1], keys[5]}), kind="cut", leaving=mol.names[chlorine],
        chem_class="aryl C, halogen, N or O leaves",
    )  # fmt: skip
    (row,) = rows_of((mol, cut, True))
    assert (row["anchor_atom"], row["anchor_equivalents"]) == (mol.names[carbon], mol.names[6 - carbon])
    assert f"(at {mol.names[carbon]}): couple the linker at the halide." in str(row["action"])


def test_job_without_ligands_has_no_answers() -> None:
    assert list(answer_rows("EGFR", [], known({}))) == []


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"room": 0.0}, "no_way_out"),
        ({"chem_class": "other"}, "unusual_group"),
        ({"smiles": SMALL}, "fragment"),
        ({"smiles": AMP_PNP}, "cofactor"),
    ],
)
def test_not_recommended_answers_come_last_with_the_reason(changed: dict[str, Value], why: str) -> None:
    smiles = str(changed.pop("smiles", LARGE))
    first, last = order(("BAD", smiles, {"score": 3.5, **changed}), ("OK", LARGE, {"score": 1.0, "evidence": "C"}))
    assert (first["Warhead"], last["Warhead"]) == ("OK", "BAD")
    assert why in str(last["not_recommended"]).split(";")
    assert is_advised(first)
    assert not is_advised(last)


def test_each_grade_below_the_best_lowers_the_score_by_three_tenths_and_the_worst_is_last() -> None:
    rows = order(
        ("C", LARGE, {"score": 2.6, "evidence": "C"}),
        ("D", LARGE, {"score": 3.9, "evidence": "D"}),
        ("B", LARGE, {"score": 2.2, "evidence": "B"}),
        ("A", LARGE, {"score": 2.0}),
    )
    assert [row["Warhead"] for row in rows] == ["A", "C", "B", "D"]


def test_order_of_the_input_changes_no_rank() -> None:
    ligands = [(code, LARGE, {"score": score}) for code, score in (("X", 1.0), ("Y", 3.0), ("Z", 2.0))]
    assert [row["Warhead"] for row in order(*ligands)] == [row["Warhead"] for row in order(*ligands[::-1])]


def test_incomplete_copies_decide_only_without_complete_ones() -> None:
    mol = molecule("LIG", LARGE)
    (alone,) = rows_of((mol, exit_at(mol, 11), False))
    (row,) = rows_of((mol, exit_at(mol, 11), True), (mol, exit_at(mol, 11), False))
    assert (alone["n_copies"], row["n_copies"], row["stems"]) == (1, 1, "0aaa_A_LIG_1")


@pytest.mark.parametrize(("smiles", "expected"), [(AMP_PNP, True), (LARGE, False), ("OP(=O)(O)OP(=O)(O)OCC", False)])
def test_nucleotides_with_a_bridge_of_another_element_are_cofactor_analogues(smiles: str, expected: bool) -> None:
    assert is_nucleotide(molecule("LIG", smiles)) is expected


def test_sentence_names_the_lost_contacts_of_a_group_with_much_buried_surface() -> None:
    residues = ["ILE A 10", "VAL A 18", "ILE B 10", "GLN A 131", "ASP A 86", "LYS A 89"]
    cut = Action("O6", ["C10"], "ether or ester O, alkyl leaves", "cut", 174.2, 0, residues)
    expected = " This gives up 174 Å² of buried surface, contacts with Ile 10, Val 18, Gln 131, Asp 86 and 1 more."
    assert action_sentence(cut).endswith(expected)
    assert "gives up" not in action_sentence(replace(cut, area_lost=39.9))


def test_sentence_names_an_end_that_was_not_modelled_and_the_reversible_parent_of_a_covalent_ligand() -> None:
    end = action_sentence(Action("N24", ["C37", "C38"], "amide N, alkyl leaves", "unseen"))
    assert "The end beyond N24 was not modelled, which usually means it is in solvent." in end
    assert "C37" not in end
    cut = Action("NBG", ["C1", "O1"], "amide N, acyl leaves", "cut", frees_link=True)
    assert "gives the reversible parent" in action_sentence(cut)


BACKBONE, RING = ("N", "CA", "C", "O"), ("C1", "C2", "C3", "C4", "C5", "O5")


@pytest.mark.parametrize(
    ("components", "names", "ring", "expected"),
    [
        ("JQ1", BACKBONE * 3, False, ""),
        ("PJE+010+02J", BACKBONE * 3, False, "PJE+010+02J"),
        ("ALA+ALA+ALA+TRP", BACKBONE * 4, True, "cyclic peptide of 4 residues"),
        ("ALA+ALA+ALA+TRP", BACKBONE * 4, False, "peptide of 4 residues"),
        ("GLC+GLC+GLC+BMA", RING * 4, False, "saccharide of 4 residues"),
        ("A+B+C+D", ("X1", "X2") * 4, False, "linked group of 4 components"),
    ],
)
def test_linked_group_is_never_named_by_one_of_its_components(
    components: str, names: tuple[str, ...], expected: str, *, ring: bool
) -> None:
    count = len(names)
    mol = molecule(components, f"C1{'C' * (count - 2)}C1" if ring else "C" * count)
    group = replace(mol, dictionary_names=names, residue=np.arange(count) * 4 // count)
    assert group_name(group) == expected


REACTIONS = [
    ("CO[C:1](=O)NCCc1ccccc1C", "make another carbamate or a urea with the linker"),
    ("CN[C:1](=O)NCCc1ccccc1C", "make another carbamate or a urea with the linker"),
    ("CO[C:1](=O)CCCc1ccccc1C", "make an amide or ester with the linker"),
    ("[CH3:2][O:1]c1ccccc1CCCC", "alkylate the freed oxygen"),
    ("[CH3:2][O:1]C(=O)CCCc1ccccc1", "make an amide or ester with the linker"),
    ("[CH3:2][O:1]C(=O)NCCc1ccccc1", "make another carbamate or a urea with the linker"),
    ("[CH3:2][O:1]P(=O)(O)CCc1ccccc1", "make another ester of this acid with the linker"),
    ("[CH3:1]Oc1ccccc1CCCC", "lengthen the methoxy group into an ether linker"),
    ("[CH3:1]OC(=O)CCCc1ccccc1", "make an amide or ester with the linker"),
    ("[CH3:1]OC(=O)NCCc1ccccc1", "make another carbamate or a urea with the linker"),
    ("[CH3:1]OP(=O)(O)CCc1ccccc1", "make another ester of this acid with the linker"),
    ("[Br:2][c:1]1ccccc1CCCCC", "couple the linker at the halide"),
    ("[F:2][c:1]1ccccc1CCCCC", "couple at the halide or displace the hetero atom"),
    ("C1COCC[N:2]1[c:1]1ccccc1CCCCCC", "aminate the ring with the linker's amine instead"),
    ("[OH:2][c:1]1ccccc1CCCCC", "couple the linker at a halide or triflate in its place"),
    ("[CH3:2][NH:1]C(=O)CCc1ccccc1", "make the amide with the linker's amine instead"),
    ("[CH3:2][N:1](C)C(=O)CCc1ccccc1", "make the amide with the linker's amine instead"),
    ("[CH3:2][NH:1]C(=O)NCc1ccccc1", "make the urea with the linker's amine instead"),
    ("[CH3:2][NH:1]C(=O)OCc1ccccc1", "make the carbamate with the linker's amine instead"),
    ("[CH3:2][N:1](c1ccccc1)C(=O)CCC", "alkylate the freed N-H with the linker"),
    ("[CH3:2][N:1]1C(=O)CCC1c1ccccc1", "alkylate the freed N-H with the linker"),
    ("[OH:1]c1ccccc1CCCCC", "alkylate the phenol"),
    ("[OH:1]CCCCCCc1ccccc1", "alkylate or acylate the oxygen"),
    ("[OH:1]NC(=O)CCCc1ccccc1", "possible as an N-alkoxy amide only"),
    ("[OH:1]C(=O)CCCCc1ccccc1", "possible as an ester only"),
]
"""Ligands with the anchor (1) and the leaving atom (2), if it decides, and the reaction that a chemist would choose."""


@pytest.mark.parametrize(("smiles", "reaction"), REACTIONS)
def test_sentence_has_the_reaction_of_this_ligand(smiles: str, reaction: str) -> None:
    mapped = Chem.MolFromSmiles(smiles)
    places = {atom.GetAtomMapNum(): atom.GetIdx() for atom in mapped.GetAtoms()}
    mol = molecule("LIG", Chem.MolToSmiles(mapped, canonical=False))
    graph = ligand_graph(mol)
    first = places.get(2)
    if first is None and mol.names and graph.n_hydrogens(places[1]) == 0:
        first = graph.near[places[1]][0]
    leaving = next(side for side in ((), *cuts(graph, places[1])) if side[:1] == (() if first is None else (first,)))
    chem_class = chemistry_class(graph, places[1], first)
    names = ";".join(mol.names[k] for k in leaving)
    kind = "cut" if leaving else "H"
    (row,) = rows_of((mol, exit_at(mol, places[1], kind=kind, leaving=names, chem_class=chem_class), True))
    assert f": {reaction}." in str(row["action"])


def test_each_reaction_of_a_pattern_has_an_example() -> None:
    assert {row["change"] for row in rows_of_table("exit_changes")} <= {reaction for _, reaction in REACTIONS}


@pytest.mark.parametrize(
    ("smiles", "name"),
    [
        ("N(CCc1ccccc1CCCC)C(=O)OC(C)(C)C", "tert-butoxycarbonyl"),
        ("N(CCc1ccccc1CCCC)C(=O)N(C)C", "dimethylcarbamoyl"),
    ],
)
def test_acyl_group_of_a_carbamate_or_urea_is_no_ester_or_amide(smiles: str, name: str) -> None:
    mol = molecule("LIG", smiles)
    (leaving,) = cuts(ligand_graph(mol), 0)
    assert leaving_name(mol.mol, leaving) == name


def test_groups_that_leave_by_an_acyl_atom_have_names_of_substituents() -> None:
    acyl = Chem.MolFromSmarts("[$([#6](=O)[#7,#8]),$([#16](=O)=O)]")
    rows = {row["name"]: Chem.MolFromSmiles(row["smiles"]) for row in rows_of_table("leaving_groups")}
    names = {name for name, mol in rows.items() if (0,) in mol.GetSubstructMatches(acyl)}
    assert {name for name in names if not name.endswith("yl")} == {"carboxylic acid", "carboxylate"}
