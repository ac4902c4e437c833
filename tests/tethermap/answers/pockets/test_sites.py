"""Binding sites: instances that touch the same residues."""

from dataclasses import replace

import networkx
import numpy as np

from tests.tethermap.answers.pockets.test_groups import KINASE, an_exit, member
from tethermap.answers.pockets import sites
from tethermap.answers.pockets.groups import Group, Member, grouped
from tethermap.answers.pockets.limits import LEAST_OVERLAP
from tethermap.answers.pockets.rows import consensus_rows
from tethermap.answers.pockets.sites import binding_sites, site_class
from tethermap.instance.backbone import TOUCHED


def touching(one: Member, *residues: int) -> Member:
    marks = np.zeros(len(one.read_backbone()), dtype=np.int8)
    marks[list(residues)] = TOUCHED
    numbers = np.arange(700, 700 + len(marks)).astype(np.str_)
    backbone = replace(one.read_backbone(), marks=marks, numbers=numbers)
    return replace(one, read_backbone=lambda: backbone)


def sites_of(*members: Member) -> dict[str, str]:
    (group,) = grouped(members)
    return {str(stem)[:4]: site for stem, site in binding_sites(group).items()}


def test_instances_are_linked_by_the_residues_they_share_and_the_site_of_most_entries_is_the_main_one() -> None:
    chain = [touching(member(f"{k}aaa", KINASE), *range(4 * k, 4 * k + 12)) for k in range(3)]
    beside = [touching(member("8bbb", KINASE, resolution=1.0), 60, 61, 62), touching(member("9ccc", KINASE), 90, 91)]
    assert sites_of(*chain, *beside) == {
        "0aaa": "main", "1aaa": "main", "2aaa": "main", "8bbb": "other_1", "9ccc": "other_2"
    }  # fmt: skip


def test_instances_with_less_than_half_of_their_residues_in_common_are_two_sites() -> None:
    first, second = touching(member("1aaa", KINASE), 1, 2, 3, 4), touching(member("2bbb", KINASE), 3, 4, 5, 6)
    assert sites_of(first, second) == {"1aaa": "main", "2bbb": "other_1"}
    assert [site_class(site) for site in ("main", "other_1", "")] == ["main", "other_site", ""]


def test_sites_are_the_connected_parts_of_overlapping_pockets() -> None:
    touches = (np.random.default_rng(1).random((2 * sites.BLOCK, 40)) < 0.06).astype(np.float32)
    common, sizes = touches @ touches.T, touches.sum(axis=1)
    overlaps = (common > 0) & (common >= LEAST_OVERLAP * (sizes[:, None] + sizes - common))
    parts = [sorted(part) for part in networkx.connected_components(networkx.from_numpy_array(overlaps))]
    assert max(map(len, parts)) > sites.BLOCK
    assert sites._linked(touches) == sorted(parts)


def test_residues_are_compared_in_the_numbering_of_the_reference() -> None:
    shorter = touching(member("2bbb", KINASE[10:], first=10), 20, 21, 22)
    assert sites_of(touching(member("1aaa", KINASE, resolution=1.0), 30, 31, 32), shorter) == {
        "1aaa": "main", "2bbb": "main"
    }  # fmt: skip


def test_copies_between_symmetry_mates_and_degraders_define_no_direction() -> None:
    own = [replace(touching(member(f"{k}aaa", KINASE, an_exit()), 1, 2, 3)) for k in range(3)]
    packed, degrader = replace(own[1], packed=True), replace(own[2], bridging=True)
    (row,) = consensus_rows(grouped([own[0], packed, degrader]))
    assert (row["n_instances"], row["n_instances_open"], row["site"]) == (1, 1, "main")


def test_residue_that_marks_a_place_is_the_nearest_one() -> None:
    group: Group = grouped([touching(member("1aaa", KINASE), 1)])[0]
    reference = group.placed[0].member
    name, _ = reference.residue_near(reference.read_backbone().xyz[45] + 0.1)
    assert name.endswith(" 745")
    assert len(name) == 7
