"""The three lines that stand beside each tool's files."""

from __future__ import annotations

from collections.abc import Sequence

from scripts.lib.protac.ligand import ExitFiles, Ligand
from scripts.lib.protac.protein import Protein
from scripts.lib.protac.side import Side
from scripts.lib.reasons import PROTAC_REASONS

_NAMED = {"target": "the target", "e3": "the E3 ligase"}

_ALL = """\
Inputs for programs that model degraders, made from WAR_PDB/{stem} and its SDF. This is {named}'s side (setting \
protac_inputs.side); exit site 1 is the best.
exits.json: every ranked exit with its anchor as SDF index (from 0), serial in WAR_PDB, atom name and dictionary name, \
place, direction, score, leaving atoms, and the SMILES of what stays, [*] for the linker.
{protein}. {side}_ligand.pdb: the ligand's heavy atoms, serial = SDF index + 1, each with a name of its own.{warning}
"""

_PROSETTAC = """\
PRosettaC, manual mode (github.com/LondonLab/PRosettaC): put ../{side}.pdb, a {side}_head_N.sdf, Protac_params_N.txt \
and the files of {other} into one folder, fill in what is in capitals, write the degrader's SMILES to protac.smi.
A head is what stays of the ligand after the cut: heavy atoms in the bound frame. Anchors, counted from 1: {anchors}.
An anchor must be unique in its head and survive PRosettaC's conversion with Open Babel: {checks}.
"""

_PROTAC_TERNARY = """\
PROTAC_ternary (github.com/karanicolaslab/PROTAC_ternary): decoy_atom_list_N.txt and decoy_atom_delete_N.txt are one \
half of -da and -wd; add the lines of {other}, and list the same atoms of your linker for -la.
The list: an atom two bonds from the anchor, its neighbour, the anchor. To delete: what leaves, and the anchor, which \
the linker brings along; its copies of the other two go into -ld.
Residue and names are those of ../{side}_ligand.pdb; Rosetta's molfile_to_params.py renames atoms unless told \
not to.
"""

_DEEPTERNARY = """\
DeepTernary (github.com/youqingxiaozhua/DeepTernary, predict_one_unbound of predict_btk.py): p{n}_path=../{side}.pdb, \
unbound_lig{n}_path=../{side}_ligand.pdb, lig{n}_mask_path=lig{n}_mask_N.pdb.
A mask holds the atoms of the ligand that the degrader keeps when the linker leaves at site N.
lig_path is your degrader as PDB; like ligand and masks it must give each bond once, whatever its order, as in \
data/BTK_CRBN.
"""


def readmes(ligand: Ligand, side: Side, protein: Protein, shown: Sequence[ExitFiles]) -> dict[str, str]:
    """Return a README of three lines for the folder of a ligand and for each tool, by path.

    Parameters
    ----------
    ligand : Ligand
        The ligand.
    side : Side
        Half of the degrader that it is.
    protein : Protein
        Its protein.
    shown : sequence of ExitFiles
        The exits with files.
    """
    chains = f"{side.name}.pdb: its polymer as {' '.join(protein.chains)}"
    told = chains if protein.text else PROTAC_REASONS[protein.reason]
    names = {"side": side.name, "named": _NAMED[side.name], "other": _NAMED[side.other], "n": side.number}
    return {
        "README.txt": _ALL.format(
            stem=ligand.instance.stem,
            protein=told,
            warning=_warning(ligand),
            **names,
        ),
        "prosettac/README.txt": _PROSETTAC.format(
            anchors="; ".join(f"site {one.site_rank} atom {one.anchor}" for one in shown),
            checks="; ".join(f"site {one.site_rank} {_alike(one)}, {one.open_babel}" for one in shown),
            **names,
        ),
        "protac_ternary/README.txt": _PROTAC_TERNARY.format(**names),
        "deepternary/README.txt": _DEEPTERNARY.format(**names),
    }


def _warning(ligand: Ligand) -> str:
    """Return what must be known of a covalent ligand and of one that was not observed as a whole."""
    links = [link for link in ligand.instance.links if link.kind == "covalent"]
    partners = ", ".join(f"{one.partner_atom} of {one.partner.comp_id} {one.partner.residue_id}" for one in links)
    covalent = f" It is covalently bound to {partners}, a bond that none of the programs knows." if links else ""
    missing = ligand.molecule.atoms_missing
    if not missing:
        return covalent
    count = "1 atom was" if len(missing) == 1 else f"{len(missing)} atoms were"
    return f"{covalent} {count} not observed: {' '.join(missing)}; heads, masks and SMILES lack what was not."


def _alike(one: ExitFiles) -> str:
    return f"the same as atom {' and '.join(map(str, one.alike))}" if one.alike else "unique"
