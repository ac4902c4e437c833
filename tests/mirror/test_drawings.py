"""Drawings of the ligands of the mirror that are hardest to draw: large ones, metal complexes, linked groups."""

from tests.tools.boxes import faults_of
from tests.tools.cleaning import Sample
from tests.tools.runs import JobRun
from tethermap.base import layout

HARD = {"C4W", "GDP", "PJE", "B1Z", "HQU", "QUI", "BCB", "CLA", "HEM", "759", "WEP", "X6M"}


def test_texts_of_large_ligands_never_overlap_or_leave_their_drawings(whole: JobRun, samples: list[Sample]) -> None:
    instances = [sample.instance for sample in samples]
    large = sorted(instances, key=lambda one: -len(one.atoms.element))[:15]
    hard = {one.name.comp_id: one for one in instances if one.name.comp_id in HARD}
    assert len(hard) > len(HARD) / 2
    faults = {}
    for instance in {one.stem: one for one in (*large, *hard.values())}.values():
        for style in ("plain", "exposed", "exits"):
            svg = (whole.job / layout.ligand_svg(instance.stem, style)).read_text(encoding="utf-8")
            faults[instance.stem, style] = faults_of(svg)
    assert {picture: found for picture, found in faults.items() if found} == {}
