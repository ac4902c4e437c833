"""Residues around a ligand: all shown, apart from each other and from its atoms, each line at its atom."""

import re
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.tools.boxes import SVG
from tests.tools.components import Known, ideal_instance
from tethermap.base.tables import Row
from tethermap.components.component import Component
from tethermap.components.index import ComponentIndex
from tethermap.drawing.interactions import APART, DISC, FROM_ATOMS, MOST_RESIDUES, STROKES, interactions_svg
from tethermap.drawing.ligand import plain_svg
from tethermap.drawing.reader import Depiction, read_depiction
from tethermap.matching.build import build_ligand


@pytest.fixture(scope="module")
def plain(known: Known, index: ComponentIndex) -> Depiction:
    return depiction(known("STI"), index)


def depiction(component: Component, index: ComponentIndex, beside_missing: frozenset[int] = frozenset()) -> Depiction:
    instance = ideal_instance(component)
    return read_depiction(plain_svg(build_ligand(instance, index), instance, beside_missing))


def contact(atom: str, residue: int, kind: str, context: str = "target", **cells: str) -> Row:
    return {
        "ligand_atom": atom, "partner_chain": "A", "partner_residue": str(residue), "partner_component": "MET",
        "partner_atom": "SD", "partner_copy": "", "distance_A": 3.04, "type": kind, "context": context,
        "partner_uniprot": "", "partner_uniprot_residue": "", **cells,
    }  # fmt: skip


def circles(root: ElementTree.Element, name: str) -> list[tuple[float, float]]:
    found = [one for group in root.iter(f"{SVG}g") if group.get("class") == name for one in group.iter(f"{SVG}circle")]
    return [(float(one.get("cx", 0)), float(one.get("cy", 0))) for one in found]


def test_residues_do_not_overlap_and_lines_end_at_their_atoms(plain: Depiction) -> None:
    names = [atom.name for atom in plain.atoms]
    rows = [contact(name, 100 + k, kind) for k, (name, kind) in enumerate(zip(names, 4 * [*STROKES], strict=False))]
    assert len(rows) == 36
    root = ElementTree.fromstring(interactions_svg(plain, rows, "target"))
    residues, atoms = circles(root, "residue"), circles(root, "atoms")
    assert len(residues) == 36
    assert len(atoms) == 37
    assert min(np.hypot(a - c, b - d) for (a, b), (c, d) in combinations(residues, 2)) >= APART - 0.2
    assert min(np.hypot(a - c, b - d) for a, b in residues for c, d in atoms) >= FROM_ATOMS - 0.2
    lines = [one for one in root.iter(f"{SVG}line") if "contact" in one.get("class", "")]
    ends = {(float(one.get("x1", 0)), float(one.get("y1", 0))) for one in lines}
    assert ends == set(atoms[:36])
    x, y, width, height = (float(part) for part in root.get("viewBox", "").split())
    assert all(x <= a - DISC and a + DISC <= x + width for a, _ in residues)
    assert all(y <= b - DISC and b + DISC <= y + height for _, b in residues)


def test_numbers_are_those_of_uniprot_and_copies_are_marked(plain: Depiction) -> None:
    rows = [
        contact("N13", 12, "hbond", partner_uniprot="P00519", partner_uniprot_residue="315"),
        contact("C1", 13, "hydrophobic", partner_copy="2"),
        contact("C1", 14, "hydrophobic", "crystal"),
    ]
    text = interactions_svg(plain, rows, "target")
    assert re.findall(">(31[0-9]|1[0-9]'?)</text>", text) == ["315", "13'"]
    assert "MET A 12, P00519 315: hydrogen bond N13 to SD, 3.0 Å" in text
    assert "2 residues in contact (target chains)" in text
    assert "3 residues in contact (crystal)" in interactions_svg(plain, rows, "crystal")


def test_names_are_text_and_numbers_of_residues_are_limited(plain: Depiction) -> None:
    rows = [contact("C1", k, "ionic", partner_component="<b>&", partner_atom='"x') for k in range(200)]
    root = ElementTree.fromstring(interactions_svg(plain, rows, "target"))
    assert len(circles(root, "residue")) == MOST_RESIDUES
    assert not list(root.iter(f"{SVG}b"))


def test_ligand_without_contacts_is_drawn_without_residues(plain: Depiction) -> None:
    root = ElementTree.fromstring(interactions_svg(plain, [], "target"))
    assert circles(root, "residue") == []
    assert len(circles(root, "atoms")) == 37


def test_ligand_next_to_missing_atoms_is_drawn_whole(plain: Depiction, known: Known, index: ComponentIndex) -> None:
    cut = depiction(known("STI"), index, frozenset({0, 4}))
    assert (cut.title, cut.atoms, cut.height) == (plain.title, plain.atoms, plain.height)
    text = interactions_svg(cut, [contact("N13", 12, "hbond")], "target")
    assert f"<title>{plain.title}: 1 residue in contact (target chains)</title>" in text
    assert text.count(">?</text>") == 2


def test_picture_without_atoms_is_refused() -> None:
    with pytest.raises(ValueError, match="no depiction"):
        interactions_svg(read_depiction('<svg viewBox="0 0 1 1"></svg>'), [], "target")
