"""The files of DeepTernary: masks, the degrader in place, and the command.

``predict.py`` (youqingxiaozhua/DeepTernary, 2026) identifies an atom of the degrader with one of a half within 1
angstrom, so that degrader, ligands and proteins must share one frame; its ``predict_btk.py`` matches masks as graphs.
Both read PDB files in which each bond is listed once, for any order.
"""

from collections.abc import Sequence

from tethermap.base.arrays import FloatArray
from tethermap.extras.protac.half import Halves
from tethermap.extras.protac.pose import Pose
from tethermap.extras.protac.program import Program, Site, SiteFiles, text_of
from tethermap.extras.protac.texts import ligand_pdb, residue_pdb

_RESIDUE, _CHAIN = "DEG", "Z"


def degrader_pdb(pose: Pose) -> str:
    """Return a degrader as PDB, each bond once."""
    counts: dict[str, int] = {}
    atoms: list[tuple[int, str, str, FloatArray]] = []
    for atom, place in zip(pose.mol.GetAtoms(), pose.mol.GetConformer().GetPositions(), strict=True):
        element = atom.GetSymbol()
        counts[element] = counts.get(element, 0) + 1
        atoms.append((atom.GetIdx() + 1, f"{element.upper()}{counts[element]}", element, place))
    near = {atom.GetIdx() + 1: [other.GetIdx() + 1 for other in atom.GetNeighbors()] for atom in pose.mol.GetAtoms()}
    return residue_pdb(atoms, near, _RESIDUE, _CHAIN)


def command(first: Sequence[str], second: Sequence[str]) -> str:
    """Return how ``predict.py`` is run in the folder of the files.

    Parameters
    ----------
    first, second : sequence of str
        Protein, ligand and mask of its two sides.
    """
    lines = ["python predict.py --task PROTAC --name degrader", "--lig degrader.pdb"]
    for number, (protein, ligand, mask) in enumerate((first, second), 1):
        lines.append(f"--p{number} {protein} --unbound-lig{number} {ligand} --lig{number}-mask {mask}")
    return " \\\n  ".join([*lines, "--outdir results"]) + "\n"


def _site(site: Site) -> SiteFiles:
    """Return the mask of a site."""
    ligand = site.ligand
    mask = f"deepternary/lig{site.side.number}_mask_{site.number}.pdb"
    text = ligand_pdb(ligand.graph, ligand.names, site.side, site.warhead.kept)
    return SiteFiles({mask: text}, {"mask_file": f"{ligand.instance.stem}/{mask}"}, {"mask": mask})


def _halves(halves: Halves) -> dict[str, str]:
    """Return the degrader and, of two halves, all files in the frame of the E3 ligase."""
    pose = halves.pose
    if pose is None:
        return {}
    files = {"deepternary/degrader.pdb": degrader_pdb(pose)}
    if len(halves.ordered) < 2:
        return files
    sides = []
    for place, half in enumerate(halves.ordered):
        number = half.side.number
        named = {
            f"p{number}.pdb": half.protein,
            f"lig{number}.pdb": half.files[half.side.ligand_file],
            f"lig{number}_mask.pdb": half.files[f"deepternary/lig{number}_mask_{half.number}.pdb"],
        }
        for name, text in named.items():
            files[f"deepternary/{name}"] = pose.moved(text) if place else text
        sides.append(tuple(named))
    files["deepternary/run.sh"] = command(*sides)
    return files


PROGRAM = Program(
    lambda side, *_: text_of("deepternary").format(side=side.name, other=side.other.says, n=side.number),
    site=_site,
    halves=_halves,
    pair=text_of("deepternary_pair"),
)
