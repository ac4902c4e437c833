"""Depictions as well-formed, safe SVG that names every atom."""

from xml.etree import ElementTree

import numpy as np
import pytest

from tests.tethermap.drawing.colours import contrast_with_white
from tests.tools.boxes import SVG, assert_passive
from tests.tools.components import Known, ideal_instance, linked
from tethermap.components.component import Component
from tethermap.components.index import ComponentIndex
from tethermap.drawing.canvas import _PALETTE, LARGEST, MARGIN
from tethermap.drawing.ligand import exposed_svg, plain_svg
from tethermap.drawing.ramp import UNKNOWN, exposure_colour
from tethermap.instance.model import Instance
from tethermap.matching.build import build_ligand
from tethermap.molecule.layout2d import component_layout
from tethermap.molecule.record import LigandMolecule

CODES = ["STI", "478", "JQ1", "FK5", "HEM", "RAP", "CL", "UNX", "08T", "HOH"]


def _ligand(component: Component, index: ComponentIndex) -> tuple[Instance, LigandMolecule]:
    instance = ideal_instance(component)
    return instance, build_ligand(instance, index)


def _circles(text: str, name: str) -> list[ElementTree.Element]:
    found = ElementTree.fromstring(text).iter(f"{SVG}circle")
    return [circle for circle in found if name in circle.get("class", "").split()]


@pytest.mark.parametrize("comp_id", CODES)
def test_pictures_name_every_atom_and_have_no_style_and_no_script(
    comp_id: str, known: Known, index: ComponentIndex
) -> None:
    """So that a page with a strict content security policy can include them."""
    instance, record = _ligand(known(comp_id), index)
    relative = np.linspace(0, 1, record.n_heavy)
    for text in (plain_svg(record, instance), exposed_svg(record, instance, relative, 30 * relative)):
        atoms = _circles(text, "atom")
        assert [atom.get("data-atom-name") for atom in atoms] == list(record.names)
        assert [atom.get("data-index") for atom in atoms] == [str(k) for k in range(record.n_heavy)]
        assert [f"atom-{k}" in (atom.get("class") or "") for k, atom in enumerate(atoms)] == [True] * record.n_heavy
        assert_passive(ElementTree.fromstring(text))


def test_atoms_stay_inside_the_picture(known: Known, index: ComponentIndex) -> None:
    for comp_id in ("STI", "FK5", "RIT", "RAP"):
        instance, record = _ligand(known(comp_id), index)
        text = plain_svg(record, instance)
        size = np.array(ElementTree.fromstring(text).attrib["viewBox"].split()[2:], dtype=float)
        assert size[0] <= LARGEST[0] + 1
        places = np.array([(atom.attrib["cx"], atom.attrib["cy"]) for atom in _circles(text, "atom")], dtype=float)
        assert ((places > 0.5 * MARGIN) & (places < size - 0.5 * MARGIN)).all()


def test_exposure_is_shown_by_colour_size_and_data(known: Known, index: ComponentIndex) -> None:
    instance, record = _ligand(known("STI"), index)
    relative = np.linspace(0, 1, record.n_heavy)
    relative[5] = np.nan
    bound = 40 * np.nan_to_num(relative)
    text = exposed_svg(record, instance, relative, bound)
    discs, atoms = _circles(text, "exposure"), _circles(text, "atom")
    assert [disc.get("fill") for disc in discs] == [exposure_colour(float(value)) for value in relative]
    assert discs[5].get("fill") == UNKNOWN
    assert float(discs[-1].attrib["r"]) > 1.5 * float(discs[0].attrib["r"])
    assert atoms[-1].get("data-relative-sasa") == "1.0000"
    assert atoms[-1].get("data-sasa") == "40.000"
    assert atoms[5].get("data-relative-sasa") == ""
    assert f"{bound.sum():.1f} Å²" in text


def test_linked_atom_has_a_ring_and_the_residue_is_named(known: Known, index: ComponentIndex) -> None:
    instance = linked(known("PLM"), "C1", omit=["O2"])
    text = plain_svg(build_ligand(instance, index), instance)
    assert len(_circles(text, "link")) == 1
    assert "bonded to CYS 145 SG" in text


def test_instances_of_one_component_share_a_layout(known: Known, index: ComponentIndex) -> None:
    component = known("STI")
    whole = build_ligand(ideal_instance(component), index)
    part = build_ligand(ideal_instance(component, omit=whole.names[:4], turn=np.eye(3)[[2, 0, 1]]), index)
    assert part.names == whole.names[4:]
    assert (part.layout == whole.layout[4:]).all()
    assert (whole.layout == component_layout(component)).all()


def test_names_and_titles_are_escaped(known: Known, index: ComponentIndex) -> None:
    component = known("ATP")
    instance = ideal_instance(component, renamed={"O5'": 'O"<'})
    text = plain_svg(build_ligand(instance, index), instance)
    assert 'O"<' in [atom.get("data-atom-name") for atom in _circles(text, "atom")]


def test_colours_of_elements_contrast_with_white() -> None:
    assert min(map(contrast_with_white, _PALETTE.values())) > 4
