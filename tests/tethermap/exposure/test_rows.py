"""Rows of the exposure tables: exposed atoms and sums."""

from pathlib import Path

import numpy as np
import pytest

from tests.tools.ligands import small_ligand
from tethermap.base import tables
from tethermap.base.contexts import CONTEXTS
from tethermap.exposure.rows import atom_rows, sdf_lists, summary_row
from tethermap.exposure.sasa import Exposure, Sasa

FREE = np.array([50.0, 40.0, 0.0])
BOUND = np.array([10.0, 0.1, 0.0])


LIGAND = small_ligand("CCO", [(0.0, 0.0, 0.0), (1.5, 0.0, 0.0), (2.2, 1.2, 0.0)])


def exposure(**bound: np.ndarray) -> Exposure:
    return Exposure(FREE, {**dict.fromkeys(CONTEXTS, BOUND), **bound})


METHOD = Sasa(probe_radius=1.4, slices=100)


def test_atom_counts_as_exposed_above_a_tenth_of_a_square_angstrom() -> None:
    row = summary_row("x", *LIGAND, exposure(target=np.array([10.0, 0.1, 0.11])), METHOD)
    assert row["Exposed_atoms"] == 2
    assert row["%Exposed"] == pytest.approx(2 / 3)
    assert row["%Buried"] == pytest.approx(1 / 3)


def test_headline_is_the_target_context() -> None:
    row = summary_row("x", *LIGAND, exposure(chain=FREE, assembly=np.zeros(3)), METHOD)
    assert row["SASA_in_complex_A2"] == row["SASA_target_A2"] == pytest.approx(10.1)
    assert row["Buried_fraction"] == pytest.approx(1 - 10.1 / 90.0)


def test_sum_of_the_atoms_as_written_is_the_summary_as_written() -> None:
    awkward = exposure(target=np.array([10.00049, 0.10049, 0.00049]))
    column = next(c for c in tables.SASA_ATOMS.columns if c.name == "Exposure_A2")
    atoms = [tables.format_value(row["Exposure_A2"], column) for row in atom_rows("x", *LIGAND, awkward, FREE)]
    total = summary_row("x", *LIGAND, awkward, METHOD)["SASA_in_complex_A2"]
    assert sum(map(float, atoms)) == pytest.approx(total, abs=1e-9)


def test_undefined_areas_are_none_in_the_lists_of_the_sdf(tmp_path: Path) -> None:
    rows = atom_rows("x", *LIGAND, exposure(crystal=np.full(3, np.nan)), FREE)
    tables.write_table(tmp_path / "atoms.csv", tables.SASA_ATOMS, rows)
    lists = sdf_lists(list(tables.read_table(tmp_path / "atoms.csv", tables.SASA_ATOMS)))
    assert lists["sasa_crystal"] == [None, None, None]
    assert lists["relative_sasa"] == [0.2, 0.0025, None]
