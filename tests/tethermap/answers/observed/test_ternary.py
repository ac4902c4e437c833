"""Ternary complexes whose authors define the end of the target's half of the degrader."""

from pathlib import Path

import numpy as np
import pytest

from tests.tools.ternary import Ternary, held_ligands, score, ternaries
from tethermap.answers.observed.bridging import bridging_line, read_bridging
from tethermap.complex.settings import CleanSettings
from tethermap.components.index import ComponentIndex
from tethermap.entry.target_query import TargetQuery
from tethermap.exits.rank import rank_candidates


@pytest.fixture(scope="module")
def cases(ternary: Path, component_index: Path) -> list[Ternary]:
    return list(ternaries(ternary, ComponentIndex(component_index)))


@pytest.mark.parametrize("side", ["target", "partner"])
def test_exits_match_the_cuts_of_the_authors(cases: list[Ternary], side: str) -> None:
    scores = [score(case, side) for case in cases]
    assert len(scores) == 11
    assert sum(first for first, _ in scores) >= 10
    assert sum(either for _, either in scores) >= 10


def test_range_is_reported_if_a_ring_can_belong_to_either_side(cases: list[Ternary]) -> None:
    told = {case.kept.instance.entry_id: case.held.target for case in cases if case.held}
    open_rings = {entry for entry, side in told.items() if side.exit and not side.exit.clear}
    assert {"6hax", "6hay", "6hr2", "7s4e"} <= open_rings
    assert all(side.exit.alternatives for entry, side in told.items() if entry in open_rings and side.exit)


def test_halves_are_read_back_unchanged(cases: list[Ternary], tmp_path: Path) -> None:
    lines = {str(k): bridging_line(str(k), case.held) for k, case in enumerate(cases) if case.held}
    (tmp_path / "bridging").write_bytes(b"".join(lines.values()))
    read = read_bridging(tmp_path / "bridging")
    assert {stem: bridging_line(stem, one) for stem, one in read.items()} == lines
    assert [one.target.exit for one in read.values()] == [case.held.target.exit for case in cases if case.held]


def test_no_atom_beyond_the_targets_half_is_recommended(cases: list[Ternary]) -> None:
    for case in cases:
        assert case.held is not None
        facing = case.held.beyond_target
        exits = rank_candidates(case.graph, case.kept.surroundings, np.zeros(len(case.graph)), facing=facing)
        assert case.held.partner.half <= facing
        assert not facing & {one.candidate.anchor for one in exits if one.rank}
        assert {one.reason for one in exits if one.candidate.anchor in facing} == {"faces_partner"}


def test_sides_change_places_when_the_ligase_is_the_target(ternary: Path, component_index: Path) -> None:
    index = ComponentIndex(component_index)
    first, swapped = next(ternaries(ternary, index)), next(ternaries(ternary, index, swapped=True))
    assert first.held is not None
    assert swapped.held is not None
    assert swapped.held.target.exit == first.held.partner.exit
    assert swapped.held.partner.half == first.held.target.half


@pytest.mark.parametrize(
    ("entry", "code", "target", "bond"),
    [("5t35", "759", "BRD4", ("NBL", "CAW")), ("7khh", "WEP", "BRD4", ("N45", "C44")),
     ("7jtp", "X6M", "WDR5", ("N4", "C22"))],
)  # fmt: skip
def test_deposited_degraders_are_split(
    mirror: Path, component_index: Path, entry: str, code: str, target: str, bond: tuple[str, str]
) -> None:
    settings = CleanSettings(TargetQuery(target))
    found = list(held_ligands(mirror / f"{entry}.pdb.gz", code, settings, ComponentIndex(component_index)))
    assert found
    for one in found:
        assert one.held is not None
        assert [tuple(one.graph.names[k] for k in pair) for pair in one.held.bonds] == [bond]


def test_ligand_between_the_chains_of_a_homodimer_is_not_split(archive: Path, component_index: Path) -> None:
    path = next(archive.glob("1hpv.*"))
    found = list(held_ligands(path, "478", CleanSettings(TargetQuery("HIV")), ComponentIndex(component_index)))
    assert [one.held for one in found] == [None]
