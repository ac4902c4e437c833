"""A map calculated from a model, and the fit of an atom that only the model has."""

import bz2
import gzip
import lzma
import struct
from pathlib import Path
from typing import Any

import gemmi
import numpy as np
import pytest

from tests.tools.small_entry import atom_line
from tethermap.fit.file import map_beside
from tethermap.fit.own_map import Density, MapError, radius_at, read_density

RESOLUTION = 1.8
LEFT_OUT, MOVED = 3, 6


def model(*, complete: bool = True) -> gemmi.Structure:
    """Return a chain of carbon atoms in a small cell; the true one lacks an atom and has another elsewhere."""
    kept = [k for k in range(8) if complete or k != LEFT_OUT]
    shift = {MOVED: 0.0 if complete else 2.0}
    places = [(4 + 1.76 * k, 5 + 1.6 * (k % 2) + shift.get(k, 0.0), 6 + 0.3 * k) for k in kept]
    atoms = [atom_line(k, f"C{k}", "LIG", "A", 1, at, element="C") for k, at in zip(kept, places, strict=True)]
    cell = "CRYST1   20.000   22.000   24.000  90.00  95.00  90.00 P 1 21 1      2\n"
    structure = gemmi.read_pdb_string(cell + "".join(atoms).replace(" 20.00 ", " 15.00 "))  # B factors
    structure.resolution = RESOLUTION
    return structure


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model, and the map of the true structure as MTZ and as CCP4."""
    place = tmp_path_factory.mktemp("own")
    model().write_pdb(str(place / "own.pdb"))
    calculator = gemmi.DensityCalculatorX()
    calculator.d_min, calculator.rate = RESOLUTION, 2.0
    true = model(complete=False)
    calculator.set_grid_cell_and_spacegroup(true)
    calculator.put_model_density_on_grid(true[0])
    data = gemmi.transform_map_to_f_phi(calculator.grid, half_l=True).prepare_asu_data(dmin=RESOLUTION)
    mtz = gemmi.Mtz(with_base=True)
    mtz.spacegroup, mtz.cell = data.spacegroup, data.unit_cell
    mtz.add_dataset("calculated")
    mtz.add_column("FWT", "F")
    mtz.add_column("PHWT", "P")
    values = data.value_array
    mtz.set_data(np.column_stack([data.miller_array, np.abs(values), np.angle(values, deg=True)]).astype(np.float32))
    mtz.write_to_file(str(place / "own.mtz"))
    ccp4 = gemmi.Ccp4Map()
    ccp4.grid = data.transform_f_phi_to_map(sample_rate=4.0)
    ccp4.update_ccp4_header()
    ccp4.write_ccp4_map(str(place / "own.ccp4"))
    return place


@pytest.mark.parametrize("name", ["own.mtz", "own.ccp4"])
def test_atoms_in_the_map_fit_and_atoms_missing_from_it_do_not(folder: Path, name: str) -> None:
    density = read_density(folder / name, folder / "own.pdb")
    xyz = np.array([atom.pos.tolist() for atom in model()[0][0][0]])
    whole, atoms = density.rscc(xyz)
    fits = {k: value for k, value in enumerate(atoms) if value is not None}
    assert len(fits) == len(xyz)
    assert min(fits[0], fits[1]) > 0.97  # far from the difference
    assert min(value for k, value in fits.items() if k not in (LEFT_OUT, MOVED)) > 0.8
    assert max(fits[LEFT_OUT], fits[MOVED]) < 0.6
    assert whole is not None
    assert 0.3 < whole < 0.9


def test_model_fits_its_own_map_fully(folder: Path) -> None:
    density = read_density(folder / "own.mtz", folder / "own.pdb")
    same = Density(density.calculated, density.calculated, density.radius)
    whole, atoms = same.rscc(np.array([[4.0, 5.0, 6.0], [5.76, 6.6, 6.3]]))
    assert whole == pytest.approx(1.0)
    assert atoms == pytest.approx([1.0, 1.0])


def test_map_is_found_under_the_name_of_its_model(folder: Path) -> None:
    assert map_beside(folder / "own.pdb", "own") == folder / "own.mtz"
    assert map_beside(folder / "own.pdb", "other") is None


@pytest.mark.parametrize("name", ["own.mtz", "own.ccp4"])
@pytest.mark.parametrize("packer", [gzip, bz2, lzma])
def test_packed_map_equals_the_plain_one(folder: Path, tmp_path: Path, name: str, packer: Any) -> None:
    ending = {gzip: ".gz", bz2: ".bz2", lzma: ".XZ"}[packer]
    path = tmp_path / (name.upper().replace("OWN", "own") + ending if ending.isupper() else name + ending)
    path.write_bytes(packer.compress((folder / name).read_bytes()))
    assert map_beside(tmp_path / "own.pdb", "own") == path
    xyz = np.array([[4.0, 5.0, 6.0]])
    plain, packed = (read_density(place, folder / "own.pdb").rscc(xyz) for place in (folder / name, path))
    assert packed == plain


def test_unusable_map_has_a_reason(folder: Path, tmp_path: Path) -> None:
    for content, match in ((b"", "."), (b"MAP" * 999, ".")):
        (tmp_path / "x.ccp4").write_bytes(content)
        with pytest.raises(MapError, match=match):
            read_density(tmp_path / "x.ccp4", folder / "own.pdb")
    bare = gemmi.read_mtz_file(str(folder / "own.mtz"))
    bare.column_with_label("FWT").label = "FC"
    bare.write_to_file(str(tmp_path / "x.mtz"))
    with pytest.raises(MapError, match="no map coefficients"):
        read_density(tmp_path / "x.mtz", folder / "own.pdb")
    other = model()
    other.cell = gemmi.UnitCell(40, 22, 24, 90, 95, 90)
    other.write_pdb(str(tmp_path / "other.pdb"))
    with pytest.raises(MapError, match="another unit cell"):
        read_density(folder / "own.mtz", tmp_path / "other.pdb")


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("field", [0, 7])
@pytest.mark.parametrize("packed", [False, True])
def test_map_beyond_memory_is_refused(folder: Path, tmp_path: Path, order: str, field: int, packed: bool) -> None:
    head = bytearray((folder / "own.ccp4").read_bytes())
    words = list(struct.unpack("<10i", head[:40]))
    words[field : field + 3] = [30_000] * 3
    head[:40] = struct.pack(f"{order}10i", *words)
    path = tmp_path / ("x.ccp4.gz" if packed else "x.ccp4")
    path.write_bytes(gzip.compress(bytes(head)) if packed else bytes(head))
    with pytest.raises(MapError, match="27000000000000 points"):
        read_density(path, folder / "own.pdb")


def test_model_that_claims_a_resolution_beyond_memory_is_refused(folder: Path, tmp_path: Path) -> None:
    sharp = model()
    sharp.resolution = 0.01
    sharp.write_pdb(str(tmp_path / "sharp.pdb"))
    with pytest.raises(MapError, match="points, more than"):
        read_density(folder / "own.ccp4", tmp_path / "sharp.pdb")


def test_radius_grows_with_the_resolution() -> None:
    assert [radius_at(value) for value in (0.5, 0.6, 1.8, 3.0, 4.0)] == pytest.approx([0.7, 0.7, 1.1, 1.5, 2.0])
