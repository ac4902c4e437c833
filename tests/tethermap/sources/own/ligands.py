"""The ligands of a user's file, as the pipeline keeps them."""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from tests.tools.cleaning import ANY_TARGET
from tests.tools.components import without_stereo
from tethermap.complex.clean import clean_entry
from tethermap.components.component import Component
from tethermap.components.index import ComponentIndex
from tethermap.entry.reader import read_entry
from tethermap.exposure.radii import PolymerRadii
from tethermap.instance.kinds import KindRules
from tethermap.instance.model import Instance
from tethermap.matching.build import build_ligand
from tethermap.sources.files import FilesSource


class Ligand(NamedTuple):
    """A kept ligand: its instance, its SMILES without stereochemistry, and the source of its bonds."""

    instance: Instance
    smiles: str
    bond_source: str


def ligands_of(
    path: Path, entry_id: str, index: ComponentIndex, own: dict[str, Component] | None = None
) -> list[Ligand]:
    """Return the ligands of a file, with components that the user defines."""
    defined = own or {}

    def find(code: str) -> Component | None:
        return defined.get(code) or index.get(code)

    rules, radii = KindRules(find), PolymerRadii(find)
    cleaned = clean_entry(read_entry(path, entry_id), replace(ANY_TARGET, own_files=True), rules, radii)
    molecules = [(kept.instance, build_ligand(kept.instance, index, defined)) for kept in cleaned.kept]
    return [Ligand(instance, without_stereo(mol.observed_smiles), mol.bond_source) for instance, mol in molecules]


def ligands_among(folder: Path, cache: Path, index: ComponentIndex) -> dict[str, list[Ligand]]:
    """Return the ligands of each entry among a user's files."""
    source = FilesSource([folder], cache).open()
    found = {name: ligands_of(source.fetch(name).path, name, index) for name in source.all_entries()}
    source.close()
    return found
