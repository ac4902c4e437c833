"""The component index against the dictionary's own files, and how it fails."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from tests.tools.components import component_of
from tests.tools.runs import ROOT
from tethermap.base import component_index
from tethermap.components import finder, index_build
from tethermap.components.codec import SCALE, pack, preset_of, unpack
from tethermap.components.component import Component
from tethermap.components.component_cif import read_components
from tethermap.components.index import ComponentIndex
from tethermap.components.index_build import build_index
from tethermap.entry.near import distances

WATER_LIKE = component_of("ABC", [("O1", "O", (0, 0, 0)), ("C1", "C", (1.4, 0, 0))], [("O1", "C1", 1)])

PRESET = preset_of([WATER_LIKE])

CIF = (ROOT / "tests/data/ZZZZ9.cif").read_text(encoding="utf-8")
"""A component that no dictionary has."""


def test_index_has_codes_of_all_kinds(known: Callable[[str], Component], index: ComponentIndex) -> None:
    for comp_id in ("STI", "HEM", "478", "017", "JQ1", "A1ECV", "UNX", "QUI", "ZN", "3TL"):
        assert known(comp_id).comp_id == comp_id
        assert known(comp_id).atoms
    assert known("017").name.startswith("(3R,3AS,6AR)")
    assert known("UNL").atoms == ()
    assert index.get("?!") is None


_REVISED = "004 11R BCD CDL CNC CSE D3O DDZ GLC HEA HEB HEG HKL I MAL MAN PTR SEP TPO TYS"
OTHER_REVISION = {*_REVISED.split(), "1G1", "7OM", "SF4"}  # the last three have other ideal coordinates
"""Components whose file differs from the bundled dictionary: one of the two was revised."""


def test_definition_equals_the_dictionarys_own_file(mirror: Path, known: Callable[[str], Component]) -> None:
    paths = (mirror.parent / "components").glob("*.cif")
    originals = [one for path in paths for one in read_components(path.read_text(encoding="utf-8"), "user").values()]
    assert len(originals) > 100
    assert {one.comp_id for one in originals if not _equal(known(one.comp_id), one)} == OTHER_REVISION


def _equal(ours: Component, original: Component) -> bool:
    """Compare rounded coordinates by their distances and the rest exactly."""
    bonds = {frozenset(bond[:2]): bond[2:] for bond in original.bonds}
    return (
        ours.formula == original.formula
        and [atom[:7] for atom in ours.atoms] == [atom[:7] for atom in original.atoms]
        and {frozenset(bond[:2]): bond[2:] for bond in ours.bonds} == bonds
        and _same_shape(ours, original)
    )


def _same_shape(ours: Component, original: Component) -> bool:
    """Return whether distances agree within the rounding of two atoms."""
    mine, theirs = (np.array([a.xyz for a in c.atoms if a.xyz is not None]) for c in (ours, original))
    if not len(mine) or len(mine) != len(theirs):
        return True
    return bool(np.abs(distances(mine, mine) - distances(theirs, theirs)).max() < 2 * np.sqrt(3) / 2 / SCALE)


def test_packing_preserves_components(known: Callable[[str], Component]) -> None:
    for component in (WATER_LIKE, *map(known, ("JQ1", "HEM", "B12", "UNL", "CL"))):
        copy = unpack(component.comp_id, pack(component, PRESET), PRESET)
        assert (copy.atoms, copy.bonds) == (component.atoms, component.bonds)
        assert (copy.name, copy.type, copy.formula) == (component.name, component.type, component.formula)


def test_unknown_code_is_requested_from_the_server_once(component_index: Path) -> None:
    asked: list[str] = []

    def fetch(comp_id: str) -> str | None:
        asked.append(comp_id)
        return CIF if comp_id == "ZZZZ9" else None

    index = ComponentIndex(component_index, fetch=fetch)
    new = index.get("ZZZZ9")
    assert new is not None
    assert (new.name, new.origin, [atom.name for atom in new.atoms]) == ("a new one", "network", ["C1", "O1", "H1"])
    assert [atom.leaving for atom in new.atoms] == [False, True, False]
    assert index.get("ZZZZ9") is new
    assert index.get("ZZZZ8") is None
    assert index.get("ZZZZ8") is None
    index.get("STI")
    assert asked == ["ZZZZ9", "ZZZZ8"]


def test_answer_that_is_not_cif_counts_as_unknown(component_index: Path) -> None:
    assert ComponentIndex(component_index, fetch=lambda _: "<html>").get("ZZZZ9") is None


def test_bond_to_an_unknown_atom_is_an_error() -> None:
    with pytest.raises(ValueError, match="ZZZZ9: a bond names the unknown atom O9"):
        read_components(CIF.replace("ZZZZ9 C1 O1 SING", "ZZZZ9 C1 O9 SING"), "user")


def test_file_of_another_kind_or_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"python -m scripts\.build_component_index"):
        ComponentIndex(tmp_path / "none.sqlite")
    other, old = tmp_path / "other.sqlite", tmp_path / "old.sqlite"
    other.write_text("no database at all, but long enough to be looked at")
    with closing(sqlite3.connect(old)) as connection:
        connection.executescript("CREATE TABLE meta (key TEXT, value TEXT); INSERT INTO meta VALUES ('schema', '0')")
    for path, message in ((other, "not a component index"), (old, "another version")):
        with pytest.raises(ValueError, match=message):
            ComponentIndex(path)


def test_default_index_is_named_by_the_environment_or_its_versions(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(component_index.INDEX_VARIABLE, str(tmp_path / "mine.sqlite"))
    assert component_index.default_index() == tmp_path / "mine.sqlite"
    monkeypatch.delenv(component_index.INDEX_VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    path = component_index.default_index()
    assert path.parent == tmp_path / "tethermap"
    assert path.name.endswith(f"-{component_index.SCHEMA_VERSION}.sqlite")


def _small_dictionary(path: Path) -> Path:
    """Write a BinaryCIF dictionary of two components, one without ideal coordinates and one without atoms."""
    from biotite.structure.io.pdbx import BinaryCIFBlock, BinaryCIFCategory, BinaryCIFColumn, BinaryCIFFile

    def category(**columns: list[object]) -> BinaryCIFCategory:
        return BinaryCIFCategory({name: BinaryCIFColumn(np.array(values)) for name, values in columns.items()})

    numbers: list[object] = [0.0, 1.4, 2.0]
    coordinates = {
        name: numbers for axis in "xyz" for name in (f"pdbx_model_Cartn_{axis}_ideal", f"model_Cartn_{axis}")
    }
    block = BinaryCIFBlock(
        {
            "chem_comp": category(
                id=["ABC", "UNL"], name=["two\nlines", "x"], type=["T", "T"], formula=["C O", ""],
                pdbx_synonyms=["one; of\nmany", "?"],
            ),
            "chem_comp_atom": category(
                comp_id=["ABC"] * 3, atom_id=["C1", "O1", "H1"], alt_atom_id=["C1", "OA", "H1"],
                type_symbol=["C", "O", "H"], charge=[0, -1, 0], pdbx_aromatic_flag=["N"] * 3,
                pdbx_leaving_atom_flag=["N", "Y", "N"], pdbx_stereo_config=["R", "N", "N"], **coordinates,
            ),
            "chem_comp_bond": category(
                comp_id=["ABC"] * 2, atom_id_1=["O1", "C1"], atom_id_2=["C1", "H1"], value_order=["DOUB", "SING"],
                pdbx_aromatic_flag=["N", "N"],
            ),
        }
    )  # fmt: skip
    file = BinaryCIFFile({"components": block})
    file.write(path)
    return path


def test_missing_index_is_built_from_a_dictionary(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    small = _small_dictionary(tmp_path / "small.bcif")
    monkeypatch.setattr(index_build, "build_index", lambda path: build_index(path, small))
    path = finder.ensured_index(tmp_path / "new" / "index.sqlite")
    index = ComponentIndex(path)
    assert dict(index.formulas()) == {"ABC": "C O", "UNL": ""}
    component = index.get("ABC")
    assert component is not None
    assert component.name == "two lines"
    assert component.synonyms == ("one", "of many")
    assert [(a.name, a.alt_name, a.element, a.charge, a.leaving, a.stereo) for a in component.atoms] == [
        ("C1", "C1", "C", 0, False, "R"),
        ("O1", "OA", "O", -1, True, "N"),
        ("H1", "H1", "H", 0, False, "N"),
    ]
    assert [bond[:3] for bond in component.bonds] == [(0, 1, 2), (0, 2, 1)]
    assert [p.name for p in path.parent.iterdir()] == ["index.sqlite"]


def test_failed_build_removes_its_files(tmp_path: Path) -> None:
    broken = tmp_path / "broken.bcif"
    broken.write_bytes(b"no dictionary")
    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever the reader says
        build_index(tmp_path / "index.sqlite", broken)
    assert [p.name for p in tmp_path.iterdir()] == ["broken.bcif"]
