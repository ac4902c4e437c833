"""One answer for each ligand and exit site from all its copies."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.tethermap.answers.pockets.test_groups import KINASE, PROTEASE, an_exit, member
from tests.tethermap.answers.pockets.test_sites import touching
from tests.tools.exits import embedded
from tethermap.answers.pockets.directions import CopyExit
from tethermap.answers.pockets.groups import Member, grouped
from tethermap.answers.rows import KnownLigands, answer_rows
from tethermap.answers.sites import SiteAnswer, answers_of
from tethermap.base.tables import Row
from tethermap.molecule.record import LigandMolecule, atom_keys

SMILES = "CC(C)c1ccccc1CCN"
"""Atoms: two equivalent methyls (0, 2), a phenyl, an ethylamine (9, 10, 11)."""

MOLECULE: LigandMolecule = replace(embedded(SMILES)[1], component_names="LIG", comp_id="LIG", inchikey="KEY")
KEYS = atom_keys(MOLECULE)


def exit_at(atom: int, score: float, room: float = 0.4, **changed: Any) -> CopyExit:
    alike = frozenset({KEYS[0], KEYS[2]}) if atom in (0, 2) else frozenset({KEYS[atom]})
    return an_exit(atoms=alike, score=score, room=room, **changed)


def answers(*copies: Sequence[CopyExit], molecule: LigandMolecule = MOLECULE) -> list[SiteAnswer]:
    """Return the answers of copies with the given exits, each of another entry."""
    return answers_of([member(f"{k}aaa", KINASE, *exits) for k, exits in enumerate(copies)], molecule)


def test_exit_open_in_most_copies_precedes_one_with_a_better_score() -> None:
    first, second = answers(*([exit_at(11, 1.0), exit_at(0, 2.0, room=room)] for room in (0.4, 0.0, 0.0)))
    assert (first.anchor, len(first.opened), first.n_copies) == (MOLECULE.names[11], 3, 3)
    assert (second.anchor, len(second.opened)) == (MOLECULE.names[0], 1)


def test_copies_are_matched_by_symmetry_and_the_most_frequent_atom_is_reported() -> None:
    (answer,) = answers([exit_at(0, 1.0)], [exit_at(2, 1.4)])
    assert {answer.anchor, *answer.equivalents} == {MOLECULE.names[0], MOLECULE.names[2]}
    assert answer.score == pytest.approx(1.2)
    assert answer.n_entries == 2


def test_both_ends_of_a_symmetric_ligand_are_one_answer() -> None:
    molecule = replace(embedded("NCCc1ccc(cc1)-c1ccc(cc1)CCN")[1], component_names="LIG", comp_id="LIG")
    keys = atom_keys(molecule)
    ends, middles = frozenset({keys[0], keys[17]}), frozenset({keys[1], keys[16]})
    exits = [an_exit(atoms=atoms, score=score) for atoms, score in ((ends, 1.0), (middles, 2.0))]
    (answer,) = answers(exits, exits, molecule=molecule)
    assert answer.atoms == middles


def test_displayed_copy_is_open_then_best_observed_then_best_scored() -> None:
    closed, doubtful = exit_at(11, 3.0, room=0.0), exit_at(11, 2.0, evidence="C")
    (answer,) = answers([closed], [doubtful], [exit_at(11, 1.0, evidence="B")])
    assert answer.best[0].stem == "2aaa_A_LIG_1"


@pytest.mark.parametrize(
    ("other", "freed", "first"),
    [(0.4, 0.4, False), (0.0, 0.4, True), (0.4, 0.0, False), (0.0, 0.0, False)],
    ids=["both open", "only the freed one open", "only the other open", "both closed"],
)
def test_cut_that_frees_a_covalent_bond_is_first_only_if_all_others_are_closed(
    other: float, freed: float, *, first: bool
) -> None:
    found = answers([exit_at(11, 3.0, room=freed, frees_link=True), exit_at(0, 1.0, room=other)])
    assert [answer.frees_link for answer in found] == [first, not first]


def touching_whole(entry: str, residues: Sequence[int], exit_: CopyExit, **changed: Any) -> Member:
    """Return a complete copy of EGFR's ligand, or of that of another protein."""
    one = touching(member(entry, changed.pop("sequence", KINASE), exit_, fold=changed.pop("fold", 0)), *residues)
    return replace(one, ligand=np.zeros((len(KEYS), 3)), **{"protein": "EGFR", **changed})


def row_of(exit_: CopyExit) -> Row:
    one = touching_whole("0aaa", (1, 2, 3), exit_)
    (row,) = answer_rows("EGFR", grouped([one]), KnownLigands({}, {"LIG": MOLECULE}))
    return row


def test_copies_elsewhere_or_between_symmetry_mates_do_not_affect_the_main_site() -> None:
    good, bad = exit_at(11, 1.0), exit_at(11, 9.0, room=0.0)
    members = [
        *(touching_whole(f"{k}aaa", (1, 2, 3), good) for k in range(3)),
        touching_whole("8bbb", (1, 2, 3), bad, packed=True),
        touching_whole("9ccc", (60, 61), bad),
        touching_whole("7ddd", (5, 6), bad, sequence=PROTEASE, fold=1, protein=""),
    ]
    known = KnownLigands({}, {"LIG": replace(MOLECULE, stem=members[0].stem)})
    rows = list(answer_rows("EGFR", grouped(members), known))
    main = rows[0]
    assert (main["site"], main["n_copies"], main["n_open"], main["score_median"]) == ("main", 3, 3, 1.0)
    assert (main["protein"], main["job_rank"], main["answer_rank"]) == ("EGFR", 1, 1)
    assert [(row["group"], row["site"], row["job_rank"]) for row in rows[1:]] == [
        ("G2", "main", 2), ("G1", "other_1", None)
    ]  # fmt: skip
    assert "8bbb" not in str([row["stems"] for row in rows])


def test_blocked_answer_has_a_sentence_for_it() -> None:
    row = row_of(exit_at(11, 2.0, room=0.0))
    assert str(row["action"]).startswith("No good way out; the least bad is")
    assert row["closed"] is True


def test_leaving_group_missing_in_the_most_complete_copy_has_no_name() -> None:
    assert row_of(exit_at(1, 1.0, kind="cut", leaving="X1;X2"))["leaving_atoms"] == "X1;X2"


def test_job_without_ligands_has_no_answers() -> None:
    assert list(answer_rows("EGFR", [], KnownLigands({}, {}))) == []
