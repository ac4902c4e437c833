"""Fit of a ligand to a map next to the user's model: real-space correlation atom by atom.

Observed and calculated density are compared at points around the atoms (Jones et al. 1991,
doi:10.1107/S0108767390010224); the calculated one is that of the whole model, cut at the same resolution.
"""

import math
import struct
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import gemmi
import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.base.packed import SUFFIXES, ending_of, unpacked

COEFFICIENTS = (("FWT", "PHWT"), ("2FOFCWT", "PH2FOFCWT"), ("2FOFCWT_no_fill", "PH2FOFCWT_no_fill"))
"""Columns of an MTZ with the map that models are built in: of Refmac and BUSTER, of Phenix."""

STEP = 0.4
"""Distance of the points that are compared, in angstroms."""

SAMPLE_RATE = 3.0
"""Grid points of a map per angstrom of resolution, as usual for maps."""

MOST_POINTS = 1 << 26
"""Larger maps are not read: their density would need gigabytes."""

_UNREADABLE: tuple[type[Exception], ...] = (RuntimeError, ValueError, OSError)


class MapError(Exception):
    """A map that can't be used; the message gives the reason."""


@dataclass(frozen=True, eq=False)
class Density:
    """Observed and calculated density of one model.

    Parameters
    ----------
    observed, calculated : FloatGrid
        The maps, each over its whole cell.
    radius : float
        Around an atom, in angstroms, within which they are compared.
    """

    observed: gemmi.FloatGrid
    calculated: gemmi.FloatGrid
    radius: float

    def rscc(self, xyz: FloatArray) -> tuple[float | None, list[float | None]]:
        """Return the correlation around all atoms together, and around each.

        Parameters
        ----------
        xyz : ndarray of float, shape (n_atoms, 3)
            Atoms in angstroms.
        """
        low, high = xyz.min(axis=0) - self.radius, xyz.max(axis=0) + self.radius
        axes = [np.arange(begin, end + STEP, STEP) for begin, end in zip(low, high, strict=True)]
        points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
        near = [np.flatnonzero(((points - place) ** 2).sum(axis=1) <= self.radius**2) for place in xyz]
        used, which = np.unique(np.concatenate(near), return_inverse=True)
        places = np.ascontiguousarray(points[used])
        maps = (self.observed, self.calculated)
        observed, calculated = (grid.interpolate_position_array(places, 3).astype(np.float64) for grid in maps)
        parts = np.split(which, np.cumsum([len(part) for part in near])[:-1])
        return _correlation(observed, calculated), [_correlation(observed[p], calculated[p]) for p in parts]


def read_density(path: Path, model: Path) -> Density:
    """Read a map and calculate the density of its model.

    Parameters
    ----------
    path : Path
        MTZ with map coefficients, or CCP4 map.
    model : Path
        The model, with its resolution; an MTZ has its own.

    Raises
    ------
    MapError
        If either can't be read, or the map is not that of the model.
    """
    try:
        structure = gemmi.read_structure(str(model))
        with TemporaryDirectory() as folder:
            if path.suffix.lower() in SUFFIXES:  # gemmi reads files, and of packed ones only gzip; 4 bytes a point
                data, path = unpacked(path.read_bytes(), 5 * MOST_POINTS), Path(folder, path.stem)
                path.write_bytes(data)
            observed, limit = (_of_mtz if ending_of(path.name) == "mtz" else _of_ccp4)(path, structure.resolution)
    except _UNREADABLE as error:
        raise MapError(" ".join(str(error).split())[:200]) from error
    _agree(structure, observed)
    cell = structure.cell
    if not limit > 0:
        raise MapError("neither the map nor the model has a resolution")
    _check_points(*(int(edge * SAMPLE_RATE / limit) for edge in (cell.a, cell.b, cell.c)))
    calculator = gemmi.DensityCalculatorX()
    calculator.d_min, calculator.rate = limit, SAMPLE_RATE / 2
    calculator.set_grid_cell_and_spacegroup(structure)
    calculator.put_model_density_on_grid(structure[0])
    reflections = gemmi.transform_map_to_f_phi(calculator.grid, half_l=True).prepare_asu_data(dmin=limit)
    return Density(observed, reflections.transform_f_phi_to_map(sample_rate=SAMPLE_RATE), radius_at(limit))


def radius_at(resolution: float) -> float:
    """Return the radius around an atom within which densities are compared, in angstroms.

    Radius of the Electron Density Server (Kleywegt et al. 2004, doi:10.1107/S0907444904013253).

    Examples
    --------
    >>> radius_at(1.8)
    1.1
    """
    if resolution > 3.0:
        return resolution / 2
    return 0.7 + max(resolution - 0.6, 0.0) / 3


def _of_mtz(path: Path, _: float) -> tuple[gemmi.FloatGrid, float]:
    mtz = gemmi.read_mtz_file(str(path))
    labels = set(mtz.column_labels())
    pair = next((pair for pair in COEFFICIENTS if labels.issuperset(pair)), None)
    if pair is None:
        known = ", ".join(f"{amplitude}/{phase}" for amplitude, phase in COEFFICIENTS)
        raise MapError(f"the MTZ has no map coefficients ({known})")
    _check_points(*mtz.get_size_for_hkl(sample_rate=SAMPLE_RATE))
    return mtz.transform_f_phi_to_map(*pair, sample_rate=SAMPLE_RATE), mtz.resolution_high()


def _of_ccp4(path: Path, resolution: float) -> tuple[gemmi.FloatGrid, float]:
    with path.open("rb") as stream:
        head = stream.read(40)
    if len(head) < 40:
        raise MapError("the map stops in its header")
    words = struct.unpack("<10i", head)
    if not 0 <= words[3] < 256:  # written with the other byte order
        words = struct.unpack(">10i", head)
    _check_points(*words[:3])  # points in the file
    _check_points(*words[7:])  # points in the complete cell
    ccp4 = gemmi.read_ccp4_map(str(path))
    ccp4.setup(float("nan"))
    return ccp4.grid, resolution or SAMPLE_RATE * max(ccp4.grid.spacing)


def _check_points(*counts: int) -> None:
    """Refuse a grid before it takes memory: files of a few bytes can declare any number of points."""
    if (points := math.prod(counts)) > MOST_POINTS:
        raise MapError(f"the map has {points} points, more than {MOST_POINTS}")


def _agree(structure: gemmi.Structure, observed: gemmi.FloatGrid) -> None:
    """Copy the cell of the map to a model without one; reject a map of another crystal."""
    if not structure.cell.is_crystal():
        structure.cell, structure.spacegroup_hm = observed.unit_cell, "P 1"
        structure.setup_cell_images()
    mine, other = (np.array(cell.parameters) for cell in (structure.cell, observed.unit_cell))
    if np.abs(mine - other).max() > 0.01 * other.max():
        raise MapError("the map has another unit cell than the model")


def _correlation(first: FloatArray, second: FloatArray) -> float | None:
    """Return the correlation of two densities; None if one is constant or undefined."""
    if len(first) < 2 or not np.isfinite(first).all() or first.std() == 0 or second.std() == 0:
        return None
    return float(np.corrcoef(first, second)[0, 1])
