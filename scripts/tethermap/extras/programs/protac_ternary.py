"""The files of PROTAC_ternary for one side of a degrader.

The format is that of the program's repository, read in 2026: karanicolaslab/PROTAC_ternary (``README.md``,
``PROTAC_ternary/Utils.py``, ``Example/``).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tethermap.exits.graph import LigandGraph
from tethermap.exits.limits import COLLINEAR
from tethermap.extras.protac.program import Program, Site, SiteFiles, WrittenSite
from tethermap.extras.protac.round_trip import OpenBabel
from tethermap.extras.protac.side import Side, side_named

_README = """\
PROTAC_ternary (github.com/karanicolaslab/PROTAC_ternary): decoy_atom_list_N.txt and decoy_atom_delete_N.txt are one \
half of -da and -wd; add the lines of {other}, and list the same atoms of your linker for -la.
The list: an atom two bonds from the anchor, its neighbour, the anchor. To delete: what leaves, and the anchor, which \
the linker brings along; its copies of the other two go into -ld.
Residue and names are those of ../{side}_ligand.pdb; Rosetta's molfile_to_params.py renames atoms unless told \
not to.
"""


def alignment_atoms(graph: LigandGraph, anchor: int, kept: Collection[int]) -> tuple[int, ...]:
    """Return the atoms by which PROTAC_ternary lays a linker on a warhead: two steps away, one, the anchor.

    Parameters
    ----------
    anchor : int
        Atom that the linker is bonded to.
    kept : collection of int
        Atoms that stay.

    Returns
    -------
    tuple of int
        SDF indices of three atoms that are not on one line; fewer where the warhead has none.
    """
    near = [first for first in graph.near[anchor] if first in kept]
    for first in near:
        for second in graph.near[first]:
            if second in kept and second != anchor and _sine(graph, anchor, first, second) > COLLINEAR:
                return second, first, anchor
    return (near[0], anchor) if near else (anchor,)


def _sine(graph: LigandGraph, anchor: int, first: int, second: int) -> float:
    one, two = graph.xyz[anchor] - graph.xyz[first], graph.xyz[second] - graph.xyz[first]
    lengths = float((one @ one) * (two @ two))
    return (1 - min(1.0, float(one @ two) ** 2 / lengths)) ** 0.5 if lengths > 0 else 0.0


def atom_list(atoms: Sequence[int], names: Sequence[str], side: Side) -> str:
    """Return atoms as PROTAC_ternary lists them, residue and atom name, one on each line."""
    return "".join(f"{side.residue_name} {names[k]}\n" for k in atoms)


def _site(site: Site) -> SiteFiles:
    """Return the atoms of a site by which a linker is aligned, and those to delete."""
    ligand, number, (anchor, leaving) = site.ligand, site.number, site.cut
    stem = ligand.instance.stem
    listed, deleted = (f"protac_ternary/decoy_atom_{kind}_{number}.txt" for kind in ("list", "delete"))
    aligned = alignment_atoms(ligand.graph, anchor, site.warhead.kept)
    return SiteFiles(
        {
            listed: atom_list(aligned, ligand.names, site.side),
            deleted: atom_list((*leaving, anchor), ligand.names, site.side),
        },
        {"atom_list_file": f"{stem}/{listed}", "atom_delete_file": f"{stem}/{deleted}"},
        {"atom_list": listed, "atom_delete": deleted},
    )


def _readme(side: Side, shown: Sequence[WrittenSite], babel: OpenBabel | None) -> str:  # noqa: ARG001 - the same for all
    return _README.format(side=side.name, other=side_named(side.other))


PROGRAM = Program(_readme, site=_site)
