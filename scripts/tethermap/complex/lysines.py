"""Lysines on the surface of the target around an instance: possible ubiquitination sites of a degrader."""

import numpy as np

from tethermap.base.arrays import BoolArray, FloatArray, IntArray
from tethermap.complex.context import TARGET, Around
from tethermap.complex.scene import Scene
from tethermap.entry.atoms import text
from tethermap.entry.near import distances
from tethermap.exposure.radii import EntryRadii
from tethermap.exposure.sasa import Sasa
from tethermap.instance.model import Lysine

REACH = 30.0
"""Largest distance of NZ atoms to a heavy atom of the ligand, in angstroms. House rule."""

OPEN_FROM = 10.0
"""Smallest area of an exposed NZ in square angstroms, a fifth of the one in an open side chain. House rule."""

LYSINE_SLICES = 20
"""Slices of each NZ: FreeSASA's default, as areas only distinguish exposed from buried here."""


def lysines_around(
    scene: Scene, around: Around, ligand: FloatArray, label: bytes, radii: EntryRadii, sasa: Sasa
) -> tuple[Lysine, ...]:
    """Return the lysines of the target chains near an instance whose NZ the assembly leaves open, the nearest first.

    Parameters
    ----------
    scene, around : Scene, Around
        The entry, and the surroundings of the instance.
    ligand : ndarray of float, shape (n_heavy, 3)
        Its heavy atoms, in angstroms.
    label : bytes
        Label of its conformer.
    radii : EntryRadii
        Radii of the entry's atoms.
    sasa : Sasa
        Computes the areas.
    """
    atoms, mask = scene.atoms, scene.mask(label)
    is_amine = np.zeros(len(atoms), dtype=np.bool_)
    is_amine[scene.amines] = mask[scene.amines]
    near: list[tuple[float, int, FloatArray, str]] = []
    for copy in around.copies:
        if copy.level <= TARGET and not copy.body.parents:
            members = copy.body.atoms.members[is_amine[copy.body.atoms.members]]
            places = copy.placement.apply(atoms.xyz[members])
            apart = distances(places, ligand).min(axis=1)
            name = copy.placement.name
            near += [(float(apart[k]), int(members[k]), places[k], name) for k in np.flatnonzero(apart <= REACH)]
    if not near:
        return ()
    near.sort(key=lambda one: (round(one[0], 3), one[1], one[3]))
    areas = _areas(scene, around, np.array([place for _, _, place, _ in near]), mask, radii, sasa)
    lysines = []
    for (_, atom, place, name), area in zip(near, areas.tolist(), strict=True):
        if area >= OPEN_FROM:
            chain = text(atoms.auth_asym_id[atom]).strip()
            residue_id = f"{atoms.auth_seq_id[atom]}{text(atoms.ins_code[atom])}"
            uniprot = scene.entry.references.of(chain, residue_id)
            x, y, z = place.tolist()
            lysines.append(Lysine(chain, residue_id, name, uniprot, (x, y, z), area))
    return tuple(lysines)


def _areas(
    scene: Scene, around: Around, places: FloatArray, mask: BoolArray, radii: EntryRadii, sasa: Sasa
) -> FloatArray:
    """Return the areas of NZ atoms within the assembly, in square angstroms."""
    own_radii = radii.by_name.of("LYS", "NZ", "N")
    reach = own_radii + max(radii.by_name.table.largest.values()) + 2 * sasa.probe_radius
    parts: list[tuple[IntArray, FloatArray]] = []
    places_of = around.view.places
    chains = [(body, placement) for asym, body in scene.chains.items() for placement in places_of.get(asym, [])]
    hets = [(body, placement) for body in scene.hets for asym in body.parents for placement in places_of.get(asym, [])]
    for body, placement in [*chains, *hets]:
        local = placement.undo(places)
        beside = local[np.linalg.norm(local - body.centre, axis=1) < body.radius + reach]
        if len(beside):
            near, _ = body.atoms.nearest(beside, reach)
            near = near[mask[near]]
            parts.append((near, placement.apply(scene.atoms.xyz[near])))
    index = np.concatenate([part[0] for part in parts])
    xyz = np.concatenate([places, *(part[1] for part in parts)])
    return sasa.areas(xyz, np.concatenate([np.full(len(places), own_radii), radii.of(index)]), len(places))
