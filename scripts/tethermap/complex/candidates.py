"""Decide which additives are ligands because their assembly buries them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tethermap.base.arrays import IntArray, as_text
from tethermap.complex.context import ASSEMBLY, Around, atoms_around
from tethermap.complex.describe import neighbourhood_of
from tethermap.complex.limits import BURIED_FROM, SUBJECT_BURIED_FROM
from tethermap.complex.scene import Scene
from tethermap.entry.atoms import text
from tethermap.exposure.radii import PolymerRadii
from tethermap.exposure.sasa import Sasa
from tethermap.instance.backbone import TOUCHES_WITHIN
from tethermap.instance.classify import HetGroup

BURIED_SLICES = 100
"""Slices of each atom, as in the tables of exposure."""

SAME_SITE = 0.5
"""Share of the polymer residues around either of two copies, by number and component, that both have in equivalent
sites. House rule."""


class Burial(NamedTuple):
    """Share of a het group that its assembly buries, 0 to 1, and the polymer residues around it: number, component."""

    fraction: float
    site: frozenset[tuple[str, str]]


def burial(scene: Scene, around: Around, heavy: IntArray, radii: PolymerRadii, sasa: Sasa) -> Burial:
    """Return the fraction of the given atoms' surface that their assembly covers, nucleic acids included.

    Parameters
    ----------
    scene, around : Scene, Around
        The entry, and the surroundings of the atoms.
    heavy : ndarray of int, shape (n_atoms,)
        Heavy atoms of one het group in one conformer.
    sasa : Sasa
        Computes the areas.
    """
    atoms = scene.atoms
    names = (atoms.comp_id[heavy], atoms.name[heavy], atoms.element[heavy])
    own_radii = radii.of_all(*map(as_text, names))
    reach = float(radii.table.largest_of(atoms.element).max()) + float(own_radii.max()) + 2 * sasa.probe_radius
    xyz = atoms.xyz[heavy]
    nearby = atoms_around(scene, around, reach)
    neighbourhood = replace(neighbourhood_of(scene, nearby), largest=ASSEMBLY)
    others = radii.of_all(neighbourhood.comp_id, neighbourhood.atom_name, neighbourhood.element)
    exposure = sasa.exposure(xyz, own_radii, neighbourhood, others)
    free = float(exposure.free.sum())
    touching = (nearby.distance <= TOUCHES_WITHIN) & (nearby.level <= ASSEMBLY) & scene.in_polymer[nearby.index]
    residues = np.unique(atoms.residue[nearby.index[touching]])
    site = zip(atoms.residue_ids[residues].tolist(), atoms.comp_id[atoms.starts[residues]].tolist(), strict=True)
    fraction = 1.0 - float(exposure.bound["assembly"].sum()) / free if free else 0.0
    return Burial(fraction, frozenset((number, text(code)) for number, code in site))


def best_of_equivalent(burials: Mapping[int, Burial], components: Mapping[int, str]) -> dict[int, float]:
    """Return for each het group the largest buried fraction of the copies of its components in equivalent sites.

    Parameters
    ----------
    burials : mapping of int to Burial
        By the head of each group.
    components : mapping of int to str
        Components of each group.
    """
    best: dict[int, float] = {}
    for head in burials:
        if head in best:
            continue
        same = [head]
        for member in same:
            site = burials[member].site
            others = [one for one in burials if one not in same and components[one] == components[head]]
            near = ((one, burials[one].site) for one in others)
            same += [one for one, beside in near if len(site & beside) >= SAME_SITE * len(site | beside) > 0]
        best |= dict.fromkeys(same, max(burials[member].fraction for member in same))
    return best


def judged(group: HetGroup, own: float, best: float) -> HetGroup:
    """Return an additive of the rule ``unless_bound`` as a ligand if a copy of it in an equivalent site is buried.

    Parameters
    ----------
    group : HetGroup
        The additive.
    own, best : float
        Its buried fraction, and that of the best copy.
    """
    least = least_buried(group)
    if best < least:
        return group
    role = group.kind_reason.partition(":")[0]
    share, whose = (own, "its surface") if own >= least else (best, "the surface of a copy in an equivalent site")
    return replace(group, kind="ligand", kind_reason=f"{role}, but {share:.2f} of {whose} is buried")


def least_buried(group: HetGroup) -> float:
    """Return the buried fraction from which an additive of the rule ``unless_bound`` is a ligand."""
    return SUBJECT_BURIED_FROM if group.subject else BURIED_FROM
