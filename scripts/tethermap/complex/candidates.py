"""Which additives count as ligands because a target buries them, and which cofactor is an entry's only candidate."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from tethermap.base.arrays import IntArray, as_text
from tethermap.base.contexts import HEADLINE_CONTEXT
from tethermap.complex.context import TARGET, Around, atoms_around
from tethermap.complex.describe import neighbourhood_of
from tethermap.complex.limits import BURIED_FROM
from tethermap.complex.scene import Scene
from tethermap.exposure.radii import PolymerRadii, RadiusTable
from tethermap.exposure.sasa import Sasa
from tethermap.instance.classify import HetGroup
from tethermap.instance.kinds import KindRules

BURIED_SLICES = 100
"""Slices of each atom, as in the tables of exposure."""


@lru_cache(maxsize=4)
def polymer_radii(table: RadiusTable, rules: KindRules) -> PolymerRadii:
    """Return radii by component and atom name; those of one table are kept."""
    return PolymerRadii(table, rules.component)


def buried_by_target(
    scene: Scene, around: Around, heavy: IntArray, label: bytes, table: RadiusTable, rules: KindRules, sasa: Sasa
) -> float:
    """Return the share of the surface of some atoms that the target chains cover.

    Parameters
    ----------
    scene, around : Scene, Around
        The entry, and what stands around the atoms.
    heavy : ndarray of int, shape (n_atoms,)
        Heavy atoms of one het group in one conformer.
    label : bytes
        Label of the conformer.
    table, rules : RadiusTable, KindRules
        Radii, and the components that they depend on.
    sasa : Sasa
        Computes the areas.

    Returns
    -------
    float
        0 (open) to 1 (buried).
    """
    radii = polymer_radii(table, rules)
    names = (scene.atoms.comp_id[heavy], scene.atoms.name[heavy], scene.atoms.element[heavy])
    own = radii.of_all(*map(as_text, names))
    reach = float(table.largest_of(scene.atoms.element).max()) + float(own.max()) + 2 * sasa.probe_radius
    xyz = scene.atoms.xyz[heavy]
    nearby = atoms_around(scene, around, xyz, label, reach)
    neighbourhood = replace(neighbourhood_of(scene, nearby), largest=TARGET)
    others = radii.of_all(neighbourhood.comp_id, neighbourhood.atom_name, neighbourhood.element)
    exposure = sasa.exposure(xyz, own, neighbourhood, others)
    free = float(exposure.free.sum())
    return 1.0 - float(exposure.bound[HEADLINE_CONTEXT].sum()) / free if free else 0.0


def judged(group: HetGroup, buried: float) -> HetGroup:
    """Return an additive of the rule ``unless_bound`` as a ligand where it is buried.

    Parameters
    ----------
    group : HetGroup
        The additive.
    buried : float
        Its buried fraction.
    """
    if buried < BURIED_FROM:
        return group
    role = group.kind_reason.partition(":")[0]
    return replace(group, kind="ligand", kind_reason=f"{role}, but {buried:.2f} of its surface is buried")


def only_cofactor(groups: Iterable[HetGroup], codes: dict[int, str]) -> str:
    """Return the component that is the only candidate of an entry though it is a cofactor, empty when there is none.

    Parameters
    ----------
    groups : iterable of HetGroup
        The het groups of the entry.
    codes : dict of int to str
        Component of each group's head.
    """
    candidates = {(group.kind, codes[group.head]) for group in groups if group.kind in ("ligand", "cofactor")}
    kind, code = candidates.pop() if len(candidates) == 1 else ("", "")
    return code if kind == "cofactor" else ""
