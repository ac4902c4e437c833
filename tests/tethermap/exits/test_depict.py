"""The depiction with arrows: its sites, the directions of the arrows, and information without colour."""

from dataclasses import replace
from functools import cache
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from tests.tethermap.drawing.colours import contrast_with_white
from tests.tools.boxes import SVG, assert_passive, faults_of
from tests.tools.exits import caged, embedded, surroundings
from tethermap.drawing.ligand import plain_svg
from tethermap.exits.arrows import BADGE, best_of_sites, pale_groups, place_arrows
from tethermap.exits.depict import CLOSED, OPEN, exits_svg
from tethermap.exits.graph import LigandGraph, ligand_graph
from tethermap.exits.model import Exit
from tethermap.exits.rank import rank_candidates, score_observed
from tethermap.instance.model import Instance, Surroundings
from tethermap.molecule.record import LigandMolecule

GEFITINIB = "C1COCCN1CCCOc1cc2c(ncnc2cc1OC)Nc1ccc(F)c(Cl)c1"
Made = tuple[Instance, LigandMolecule, LigandGraph, list[Exit]]


def made(smiles: str, around: Surroundings | None = None) -> Made:
    instance, molecule = embedded(smiles)
    graph = ligand_graph(molecule)
    return instance, molecule, graph, rank_candidates(graph, around or surroundings(), np.zeros(len(graph)))


def picture(one: Made) -> ElementTree.Element:
    instance, molecule, graph, exits = one
    return ElementTree.fromstring(exits_svg(molecule, instance, graph, exits))


def arrows_in(root: ElementTree.Element) -> list[ElementTree.Element]:
    return [group for group in root.iter(f"{SVG}g") if group.get("class", "").startswith("exit ")]


def test_best_anchor_of_each_of_the_first_five_sites_has_an_arrow() -> None:
    one = made(GEFITINIB)
    arrows = arrows_in(picture(one))
    first = best_of_sites(one[3], 5)
    title, description = (picture(one).findtext(f"{SVG}{name}", "") for name in ("title", "desc"))
    assert "Where a linker can leave" in title
    assert [arrow.get("data-site-rank") for arrow in arrows] == ["1", "2", "3", "4", "5"]
    assert [arrow.get("data-index") for arrow in arrows] == [str(best.candidate.anchor) for best in first]
    for best in first:
        assert best.rank == min(other.rank or 999 for other in one[3] if other.site == best.site)
        assert f"Site {best.site_rank}: {one[2].names[best.candidate.anchor]} " in description


def test_arrows_point_away_from_the_remaining_atoms() -> None:
    _, molecule, graph, exits = made(GEFITINIB)
    places = molecule.layout * np.array([26.0, -26.0])
    shown = best_of_sites(exits, 5)
    arrows = place_arrows(graph, shown, places, 39.0)
    for one, group, arrow in zip(shown, pale_groups(shown), arrows, strict=True):
        stays = np.setdiff1d(np.arange(len(graph)), [one.candidate.anchor, *group])
        for point in (arrow.end, arrow.badge):
            assert np.linalg.norm(places[stays] - point, axis=1).min() > BADGE + 4
    for place, group in enumerate(pale_groups(shown)):  # the anchor of a better site is never pale
        assert not group & {one.candidate.anchor for one in shown[:place]}
    badges = np.array([arrow.badge for arrow in arrows])
    apart = np.linalg.norm(badges[:, None] - badges[None], axis=2) + 99 * np.eye(len(badges))
    assert apart.min() > 2 * BADGE


def test_everything_drawn_is_inside_the_picture() -> None:
    for smiles in (GEFITINIB, "CCO", "CC(C)(C)OC(=O)CC1CCN(C)CC1", "c1ccccc1"):
        root = picture(made(smiles))
        size = np.array(root.attrib["viewBox"].split()[2:], dtype=float)
        circles = [[circle.attrib[name] for name in ("cx", "cy", "r")] for circle in root.iter(f"{SVG}circle")]
        places, radii = np.split(np.array(circles, dtype=float), [2], axis=1)
        assert ((radii <= places) & (places <= size - radii)).all()


def test_leaving_group_is_pale_dashed_and_named() -> None:
    one = made("O=C(OC(C)(C)C)CCCc1ccccc1")
    _, _, graph, exits = one
    best = exits[0]
    assert best.candidate.leaving
    root = picture(one)
    pale = [path for path in root.iter(f"{SVG}path") if path.get("opacity") == "0.38"]
    touched = {word for path in pale for word in path.get("class", "").split() if word.startswith("atom-")}
    groups = frozenset[int]().union(*pale_groups(best_of_sites(exits, 5)))
    assert {f"atom-{k}" for k in groups} <= touched
    assert all(path.get("stroke-dasharray") for path in pale)
    text = "".join(root.itertext())
    assert f"{graph.names[best.candidate.anchor]}" in text
    assert f"for {graph.names[best.candidate.leaving[0]]}" in text


def test_closed_exits_differ_by_dashes_and_hollow_heads_and_colour() -> None:
    root = picture(made("c1ccccc1", caged(made("c1ccccc1")[2])))
    (arrow,) = arrows_in(root)
    assert arrow.get("data-closed") == "true"
    (line,), (circle,) = arrow.findall(f"{SVG}line"), arrow.findall(f"{SVG}circle")
    assert line.get("stroke-dasharray")
    assert (line.get("stroke"), circle.get("fill")) == (CLOSED, "#ffffff")
    assert "closed" in "".join(root.itertext())
    (open_line,) = arrows_in(picture(made("c1ccccc1")))[0].findall(f"{SVG}line")
    assert (open_line.get("stroke"), open_line.get("stroke-dasharray")) == (OPEN, None)


@pytest.mark.parametrize("colour", [OPEN, CLOSED])
def test_colours_of_arrows_contrast_with_white(colour: str) -> None:
    assert contrast_with_white([value / 255 for value in bytes.fromhex(colour[1:])]) > 4.5


def test_ligand_without_exits_has_a_picture_with_the_reason() -> None:
    root = picture(made("[Cl-]"))
    assert arrows_in(root) == []
    assert "No atom carries a hydrogen" in "".join(root.itertext())


def test_picture_has_no_style_and_no_script_and_is_the_same_twice() -> None:
    root = picture(made(GEFITINIB))
    assert root.get("role") == "img"
    assert ElementTree.tostring(root) == ElementTree.tostring(picture(made(GEFITINIB)))
    assert_passive(root)


def test_bond_where_a_linker_was_seen_to_leave_is_drawn_and_named() -> None:
    instance, molecule, graph, exits = made(GEFITINIB)
    seen = score_observed(graph, surroundings(), np.zeros(len(graph)), (6, 5))
    root = ElementTree.fromstring(exits_svg(molecule, instance, graph, exits, seen=[seen]))
    (mark,) = [group for group in root.iter(f"{SVG}g") if group.get("class") == "seen"]
    assert (mark.get("data-anchor"), mark.get("data-linker")) == (graph.names[6], graph.names[5])
    assert f"the linker leaves {graph.names[6]} by {graph.names[5]}" in "".join(root.itertext())
    assert len(arrows_in(root)) == len(arrows_in(picture((instance, molecule, graph, exits))))


def test_atoms_that_were_not_modelled_are_marked_where_they_would_be() -> None:
    instance, molecule, graph, exits = made("CC(=O)NC")
    for text in (
        exits_svg(molecule, instance, graph, exits, beside_missing=frozenset({4})),
        plain_svg(molecule, instance, frozenset({4})),
    ):
        (mark,) = [group for group in ElementTree.fromstring(text).iter(f"{SVG}g") if group.get("class") == "missing"]
        assert graph.names[4] in "".join(mark.itertext())
    assert "missing" not in plain_svg(molecule, instance)


MADE = cache(made)
LONG_NAMES = ("C1", "GLU357.CD", "NAG1002:B.O5'", "MWMW1234:A.C10A")


@given(st.sampled_from((GEFITINIB, "CC(C)(C)OC(=O)CC1CCN(C)CC1", "OCC1OC(O)C(NC(C)=O)C(O)C1O")), st.data())
@settings(max_examples=12, deadline=None)
def test_names_numbers_and_lines_never_overlap_or_leave_the_picture(smiles: str, data: st.DataObject) -> None:
    instance, molecule, graph, exits = MADE(smiles)
    names = tuple(data.draw(st.sampled_from(LONG_NAMES)) for _ in graph.names)
    beside = frozenset(data.draw(st.sets(st.integers(0, len(graph) - 1), max_size=2)))
    cuts = [one for one in exits if one.candidate.leaving][:1]
    drawn = exits_svg(molecule, instance, replace(graph, names=names), exits, seen=cuts, beside_missing=beside)
    assert [fault for fault in faults_of(drawn) if "?" not in fault or "outside" in fault] == []
