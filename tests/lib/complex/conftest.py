"""Small ligands and surroundings for the tests of this folder."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scripts.lib.instance.model import Instance, Neighbourhood
from scripts.lib.molecule.record import LigandMolecule
from tests.tools.ligands import small_ligand, small_neighbourhood


@pytest.fixture
def ligand() -> Callable[..., tuple[Instance, LigandMolecule]]:
    """Return the function that builds an instance and its molecule from SMILES and heavy-atom coordinates."""
    return small_ligand


@pytest.fixture
def neighbourhood() -> Callable[..., Neighbourhood]:
    """Return the function that builds the atoms around a ligand from rows."""
    return small_neighbourhood
