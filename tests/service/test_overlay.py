"""Data of a finished job for the 3D views: partner atoms, ligands in one frame."""

import html
import json
import re
from itertools import combinations
from pathlib import Path

import httpx2
import numpy as np
import pytest

from service.pages.overlay import COLOURS
from tests.tethermap.drawing.test_ramp import LOSSES, lab
from tethermap.base import layout, tables

STEM = "1hpv_A_478_200"


def test_partner_atoms_surround_the_ligand_and_are_not_in_its_complex(
    http: httpx2.Client, done_job: str, mixed: Path
) -> None:
    told = http.get(f"/results/{done_job}/partners/{STEM}").json()
    assert set(told) == {"assembly", "crystal"}
    count, _, *lines = told["crystal"].splitlines()
    xyz = np.array([[float(part) for part in line.split()[1:]] for line in lines])
    assert int(count) == len(xyz) > 20
    atoms = [row for row in tables.read_table(mixed / tables.SASA_ATOMS.path, tables.SASA_ATOMS) if row["stem"] == STEM]
    ligand = np.array([[float(row[axis] or 0) for axis in "xyz"] for row in atoms])
    text = (mixed / layout.war_pdb(STEM)).read_text(encoding="utf-8").splitlines()
    atom_lines = [line for line in text if line.startswith(("ATOM", "HETATM"))]
    own = np.array([[float(line[at : at + 8]) for at in (30, 38, 46)] for line in atom_lines])
    away = np.linalg.norm(xyz[:, None] - ligand[None], axis=2).min(axis=1)
    assert away.max() < 30
    assert np.linalg.norm(xyz[:, None] - own[None], axis=2).min() > 0.5
    lost = http.get(f"/results/{done_job}/partners/zz")
    assert (lost.status_code, "The job has no ligand zz." in lost.text) == (404, True)


@pytest.mark.parametrize("loss", [None, *LOSSES])
def test_colours_of_ligands_differ_for_every_kind_of_colour_vision(loss: str | None) -> None:
    seen = [lab(tuple(bytes.fromhex(colour.removeprefix("#"))), loss) for colour in COLOURS]
    assert min(np.linalg.norm(one - other) for one, other in combinations(seen, 2)) > 20


def test_chosen_ligands_have_the_matrices_of_their_table(http: httpx2.Client, done_job: str, mixed: Path) -> None:
    others = list(tables.read_table(mixed / tables.SUPERPOSITION.path, tables.SUPERPOSITION))
    stems = [str(row["stem"]) for row in others]
    page = http.get(f"/results/{done_job}/overlay", params={"stem": [STEM, *stems, "<b>"]}).text
    found = re.search(r"data-overlay-data>(.*?)</script>", page, re.DOTALL)
    assert found is not None
    data = json.loads(html.unescape(found[1]))
    own = next(row for row in others if row["stem"] == STEM)
    assert [one["label"] for one in data["ligands"]] == ["478 1hpv A"]
    assert data["ligands"][0]["matrix"] == [[own[f"r{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)]
    assert page.count("It belongs to another group of chains") == len(stems) - 1
    assert "<b>&lt" not in page
    for url in (data["reference"]["url"], data["ligands"][0]["url"]):
        assert http.get(url).status_code == 200
    assert http.get(f"/results/{done_job}/overlay?stem=zz").status_code == 404
    assert http.get(f"/results/{done_job}/overlay").status_code == 200
