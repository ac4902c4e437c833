"""The files of DeepTernary: masks, the degrader in place, and the command.

``predict.py`` (youqingxiaozhua/DeepTernary, 2026) identifies an atom of the degrader with one of a half within 1
angstrom, so that degrader, ligands and proteins must share one frame; its ``predict_btk.py`` matches masks as graphs.
Both read PDB files in which each bond is listed once, for any order.
"""

from collections.abc import Sequence

from rdkit import Chem

from tethermap.extras.protac.half import Halves, LigandHalf
from tethermap.extras.protac.program import Program, SiteFiles, text_of
from tethermap.extras.protac.texts import residue_pdb


def degrader_pdb(mol: Chem.Mol) -> str:
    """Return a degrader as PDB, each bond once."""
    elements = [atom.GetSymbol().upper() for atom in mol.GetAtoms()]
    names = [f"{element}{elements[: k + 1].count(element)}" for k, element in enumerate(elements)]
    return residue_pdb(mol, names, "DEG", "Z")


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


def _site(half: LigandHalf) -> SiteFiles:
    """Return the mask of an exit."""
    mask = f"deepternary/lig{half.side.number}_mask_{half.number}.pdb"
    return SiteFiles({mask: half.ligand.pdb(half.side, half.warhead.kept)}, {"mask": mask})


def _halves(halves: Halves) -> dict[str, str]:
    """Return the degrader and, of two halves, all files in the frame of the E3 ligase."""
    pose = halves.pose
    if pose is None:
        return {}
    files = {"deepternary/degrader.pdb": degrader_pdb(pose.mol)}
    if len(halves.ordered) < 2:
        return files
    sides = []
    for place, half in enumerate(halves.ordered):
        number = half.side.number
        named = {
            f"p{number}.pdb": half.protein.text,
            f"lig{number}.pdb": half.ligand.pdb(half.side),
            f"lig{number}_mask.pdb": half.ligand.pdb(half.side, half.warhead.kept),
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
