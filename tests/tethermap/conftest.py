"""The component index, opened once, ligands of real entries, small ligands and surroundings."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.standin.fixtures import served, standin
from tests.tools.cleaning import Find, clean_file
from tests.tools.ligands import small_ligand, small_neighbourhood
from tethermap.base.tables import Row
from tethermap.complex.contacts import ligand_contacts
from tethermap.components.component import Component
from tethermap.components.index import ComponentIndex
from tethermap.instance.kinds import KindRules
from tethermap.instance.model import Instance, Neighbourhood
from tethermap.matching.build import build_ligand
from tethermap.molecule.record import LigandMolecule

__all__ = ["served", "standin"]


@pytest.fixture(scope="session")
def index(component_index: Path) -> ComponentIndex:
    return ComponentIndex(component_index)


@pytest.fixture(scope="session")
def find(index: ComponentIndex) -> Find:
    """Return a component of the index, None if it has none."""
    return index.get


@pytest.fixture(scope="session")
def rules(find: Find) -> KindRules:
    return KindRules(find)


@pytest.fixture(scope="session")
def known(index: ComponentIndex) -> Callable[[str], Component]:
    """Return a component that the index must have."""

    def get(comp_id: str) -> Component:
        component = index.get(comp_id)
        assert component is not None
        return component

    return get


@pytest.fixture(scope="session")
def real_ligand(archive: Path, index: ComponentIndex) -> Callable[[str, str], Instance]:
    """Return a ligand of an entry of the embedded archive by entry and component."""

    def get(entry_id: str, comp_id: str) -> Instance:
        (path,) = archive.glob(f"{entry_id}.*")
        _, cleaned = clean_file(path, index.get)
        return next(kept.instance for kept in cleaned.kept if kept.instance.name.comp_id == comp_id)

    return get


@pytest.fixture
def ligand() -> Callable[..., tuple[Instance, LigandMolecule]]:
    """Return the function that builds an instance and its molecule from SMILES and heavy-atom coordinates."""
    return small_ligand


@pytest.fixture
def neighbourhood() -> Callable[..., Neighbourhood]:
    """Return the function that builds the atoms around a ligand from rows."""
    return small_neighbourhood


@pytest.fixture(scope="session")
def contacts_of(index: ComponentIndex) -> Callable[[Path], list[Row]]:
    """Return the function that computes the contacts of the first ligand kept of an entry."""

    def contacts(path: Path) -> list[Row]:
        kept = clean_file(path, index.get)[1].kept[0]
        return ligand_contacts(kept.instance, build_ligand(kept.instance, index), kept.neighbourhood)

    return contacts
