"""Groups of similar chains, their reference, their directions, and changes that must not affect them."""

from collections.abc import Sequence
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tethermap.answers.pockets import groups as module
from tethermap.answers.pockets.directions import SAME_ANGLE, SAME_PLACE, CopyExit, Way, directions
from tethermap.answers.pockets.groups import Group, Member, grouped
from tethermap.answers.pockets.rows import consensus_rows, superposition_rows
from tethermap.base.reasons import SUPERPOSITION_REASONS
from tethermap.base.tables import EXIT_CONSENSUS, SUPERPOSITION, Row
from tethermap.entry import sequence
from tethermap.instance.backbone import NO_BACKBONE, Backbone

LETTERS = "ACDEFGHIKLMNPQRSTVWY"


def random_sequence(seed: int, count: int = 120) -> str:
    return "".join(np.random.default_rng(seed).choice(list(LETTERS), count))


def changed(sequence: str, share: float) -> str:
    """Replace a share of the residues, chosen at random, by others."""
    where = np.random.default_rng(int(1000 * share)).permutation(len(sequence))[: round(share * len(sequence))]
    return "".join(LETTERS[(LETTERS.index(c) + 7) % 20] if k in where else c for k, c in enumerate(sequence))


def an_exit(place: Sequence[float] = (0, 0, 0), vector: Sequence[float] = (0, 0, 1), **changed: object) -> CopyExit:
    plain = CopyExit(1, "C1", frozenset(), "H", "", "amine N-H", 0.4, 0.5, 2.0, "A", place, vector)
    return plain._replace(**changed)  # type: ignore[arg-type]


def member(
    entry: str, sequence: str, *exits: CopyExit, resolution: float | None = 2.0, fold: int = 0, first: int = 0
) -> Member:
    """An instance whose chain has a made-up fold, the ligand in its middle."""
    xyz = np.random.default_rng(fold).uniform(-10, 10, (400, 3))[first : first + len(sequence)]
    count = len(sequence)
    backbone = Backbone("A", sequence, xyz, np.zeros(count, dtype=np.int8), 20.0, 5.0) if count else NO_BACKBONE
    names = {"pdb_id": entry, "Chain": "A", "Warhead": "LIG", "Residue_ID": "1", "stem": f"{entry}_A_LIG_1"}
    key = (entry, "A", "LIG", (1, ""))
    chain = backbone.chain, sequence, lambda: backbone
    return Member(names["stem"], key, names, resolution, np.zeros((1, 3)), *chain, lambda: exits, "LIG")


def rigidly_moved(one: Member, seed: int) -> Member:
    turn, shift = Rotation.random(random_state=seed).as_matrix(), np.array([60.0, -10.0, 30.0])
    backbone = replace(one.read_backbone(), xyz=one.read_backbone().xyz @ turn.T + shift)
    return replace(
        one,
        ligand=one.ligand @ turn.T + shift,
        read_backbone=lambda: backbone,
        read_exits=lambda: tuple(
            exit_._replace(place=turn @ exit_.place + shift, vector=turn @ exit_.vector) for exit_ in one.read_exits()
        ),
    )


def names(groups: Sequence[Group]) -> list[tuple[str, list[str]]]:
    return [(group.name, [one.member.key[0] for one in group.placed]) for group in groups]  # type: ignore[misc]


KINASE, PROTEASE = random_sequence(1), random_sequence(2)


def test_dissimilar_chains_are_never_superposed() -> None:
    found = grouped([member("1aaa", KINASE), member("2bbb", PROTEASE, fold=1), member("3ccc", KINASE)])
    assert names(found) == [("G1", ["1aaa", "3ccc"]), ("G2", ["2bbb"])]


def test_reference_has_the_best_resolution_and_then_the_first_id() -> None:
    three = [member("3ccc", KINASE), member("1aaa", KINASE), member("2bbb", KINASE, resolution=1.2)]
    assert grouped(three)[0].reference == "2bbb_A_LIG_1"
    assert grouped(three[:2])[0].reference == "1aaa_A_LIG_1"
    unknown = member("0zzz", KINASE, resolution=None)
    assert grouped([unknown, *three])[0].reference == "2bbb_A_LIG_1"


def test_order_of_the_instances_changes_nothing() -> None:
    several = [member(f"{k}abc", changed(KINASE, 0.1) if k % 2 else KINASE, resolution=1.5 + k % 3) for k in range(6)]
    several += [member("9xyz", PROTEASE, fold=1)]
    first, second = grouped(several), grouped(several[::-1])
    assert names(first) == names(second)
    assert list(superposition_rows(first)) == list(superposition_rows(second))


@pytest.mark.parametrize(("share", "together"), [(0.35, True), (0.45, False)])
def test_chains_are_similar_from_sixty_percent_identity(share: float, together: bool) -> None:
    found = grouped([member("1aaa", KINASE), member("2bbb", changed(KINASE, share))])
    assert (len(found) == 1) == together
    if together:
        assert found[0].placed[1].identity == pytest.approx(1 - share, abs=0.02)


def test_chain_with_other_ends_and_a_gap_is_matched_by_alignment() -> None:
    whole = member("1aaa", KINASE)
    part = member("2bbb", KINASE[10:60] + KINASE[66:110])
    keep = [*range(10, 60), *range(66, 110)]
    backbone = replace(part.read_backbone(), xyz=whole.read_backbone().xyz[keep])
    part = replace(part, read_backbone=lambda: backbone)
    one = grouped([whole, rigidly_moved(part, 3)])[0].placed[1]
    assert one.superposition.reason == ""
    assert one.superposition.rmsd == pytest.approx(0.0, abs=1e-3)
    assert one.superposition.apply(rigidly_moved(part, 3).read_backbone().xyz) == pytest.approx(
        part.read_backbone().xyz, abs=1e-3
    )


def test_each_chain_is_aligned_with_few_references(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Mock(wraps=sequence.align)
    monkeypatch.setattr(sequence, "align", counted)
    many = [member(f"{k:04d}", changed(random_sequence(k % 10), 0.02 * (k % 5)), fold=k % 10) for k in range(60)]
    assert len(grouped(many)) == 10
    assert counted.call_count <= module.MOST_ALIGNED * len({one.sequence for one in many})


def test_instance_without_a_chain_is_listed_with_its_reason() -> None:
    found = grouped([member("1aaa", KINASE), member("2bbb", "")])
    rows = {row["pdb_id"]: row for row in superposition_rows(found)}
    assert (rows["2bbb"]["reason"], rows["2bbb"]["superposed"], rows["2bbb"]["reference"]) == ("no_backbone", False, "")
    assert "r11" not in rows["2bbb"]
    assert rows["1aaa"]["is_reference"] is True


def test_pocket_of_another_fold_is_listed_and_excluded() -> None:
    other = member("2bbb", changed(KINASE, 0.1), an_exit(), fold=5)
    found = grouped([member("1aaa", KINASE, an_exit()), other])
    rows = list(superposition_rows(found))
    assert [row["reason"] for row in rows] == ["", "poor_fit"]
    assert {row["reason"] for row in rows} - {""} <= SUPERPOSITION_REASONS.keys()
    (direction,) = consensus_rows(found)
    assert (direction["n_entries"], direction["n_entries_present"]) == (1, 1)


def test_matrices_bring_the_pockets_together() -> None:
    several = [rigidly_moved(member(f"{k}abc", KINASE), k) for k in range(4)]
    found = grouped(several)
    by_stem = {one.stem: one for one in several}
    reference = by_stem[found[0].reference]
    for row in superposition_rows(found):
        rotation = np.array([[row[f"r{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)], dtype=float)
        shift = np.array([row[f"t{i}"] for i in (1, 2, 3)], dtype=float)
        there = by_stem[str(row["stem"])].read_backbone().xyz @ rotation.T + shift
        assert there == pytest.approx(reference.read_backbone().xyz, abs=2e-3)


def test_rigid_motion_of_an_entry_changes_no_direction() -> None:
    second, third = an_exit((-3, 0, 0), (0, 1, 0), site=2, score=1.5), an_exit((0, 3, 0), (1, 0, 0), site=3, room=0.0)
    still = [member(f"{k}abc", KINASE, an_exit((3, 0, 0)), second, third) for k in range(3)]
    moved = [still[0], *(rigidly_moved(one, k) for k, one in enumerate(still[1:]))]
    for before, after in zip(consensus_rows(grouped(still)), consensus_rows(grouped(moved)), strict=True):
        assert before.keys() == after.keys()
        for name, value in before.items():
            near = pytest.approx(value, abs=0.2 if name == "spread_deg" else 0.02)
            assert after[name] == (near if isinstance(value, float) else value), name


def directions_of(*exits: CopyExit) -> list[Row]:
    """Return the directions of entries with one exit each."""
    return list(consensus_rows(grouped([member(f"{k}aaa", KINASE, one) for k, one in enumerate(exits)])))


def test_open_and_closed_exits_of_one_direction_are_counted_by_entry() -> None:
    exits = (an_exit((3, 0, 0)), an_exit((3.5, 0.5, 0), room=0.0, score=1.0), an_exit((-8, 0, 0)))
    rows = directions_of(*exits)
    counts = [(row["n_entries_open"], row["n_entries_present"], row["n_entries"]) for row in rows]
    assert counts == [(1, 2, 3), (1, 1, 3)]
    assert rows[0]["open_in"] == "0aaa_A_LIG_1"


def test_direction_has_the_evidence_of_the_exit_with_its_best_score() -> None:
    (row,) = directions_of(an_exit((3, 0, 0), evidence="C"), an_exit((3.5, 0.5, 0), score=1.0))
    assert (row["best_stem"], row["best_score"], row["evidence"]) == ("0aaa_A_LIG_1", 2.0, "C")


def test_mean_and_spread_are_those_of_the_exits() -> None:
    """The linker's first atom is 1.5 Å from the anchor."""
    vectors = [(sign * np.sin(np.radians(20)), 0.0, np.cos(np.radians(20))) for sign in (-1, 1)]
    exits = [an_exit((2 * k - 1.5 * x, 0.0, -1.5 * z), (x, 0.0, z)) for k, (x, _, z) in enumerate(vectors)]
    (row,) = directions_of(*exits)
    assert [row[name] for name in ("x", "y", "z", "vector_x", "vector_y", "vector_z")] == pytest.approx(
        [1, 0, 0, 0, 0, 1]
    )
    assert row["spread_deg"] == pytest.approx(20.0)


def test_keys_of_rows_are_columns_of_their_tables() -> None:
    found = grouped([member("1aaa", KINASE, an_exit((3, 0, 0))), member("2bbb", "")])
    assert {name for row in superposition_rows(found) for name in row} == set(SUPERPOSITION.names)
    assert {name for row in consensus_rows(found) for name in row} == set(EXIT_CONSENSUS.names)


def test_group_has_the_most_frequent_name_in_mixed_case() -> None:
    names = ["KINASE TWO", "KINASE TWO", "Kinase two", "Another kinase", ""]
    members = [replace(member(f"{k}aaa", KINASE), protein=name) for k, name in enumerate(names)]
    (group,) = grouped(members)
    assert group.protein == "Kinase two"


def way(place: tuple[float, float, float], angle: float = 0.0, *, number: int = 0, score: float = 2.0) -> Way:
    turned = np.radians(angle)
    vector = np.array([np.sin(turned), 0.0, np.cos(turned)])
    return Way(number, f"s{number}", an_exit(score=score), np.array(place), vector)


@pytest.mark.parametrize(
    ("shift", "angle", "expected"),
    [(SAME_PLACE - 0.01, 0.0, [2]), (SAME_PLACE + 0.01, 0.0, [1, 1]), (0.0, SAME_ANGLE - 0.5, [2]),
     (0.0, SAME_ANGLE + 0.5, [1, 1])],
)  # fmt: skip
def test_linkers_that_begin_together_and_point_together_are_one_direction(
    shift: float, angle: float, expected: list[int]
) -> None:
    assert [len(one) for one in directions([way((0, 0, 0)), way((shift, 0, 0), angle, number=1)])] == expected


def test_best_exit_comes_first_in_any_order() -> None:
    ways = [
        way((3 * k, 0, 0), number=number, score=score) for k, number, score in ((1, 0, 1.0), (0, 1, 3.0), (2, 2, 2.0))
    ]
    for order in (ways, ways[::-1], []):
        assert [[one.number for one in direction] for direction in directions(order)] == (
            [[1, 0], [2]] if order else []
        )
