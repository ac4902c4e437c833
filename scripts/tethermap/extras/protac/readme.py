"""The three lines that stand beside each tool's files."""

from __future__ import annotations

from collections.abc import Sequence

from tethermap.base.reasons import PROTAC_REASONS
from tethermap.extras.protac.ligand import ExitFiles, RankedLigand
from tethermap.extras.protac.protein import Protein
from tethermap.extras.protac.round_trip import LOST, OTHER, OUTCOMES, OpenBabel
from tethermap.extras.protac.side import Side

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
A head is what the degrader keeps of the ligand (of an ester that becomes an amide, up to the carbonyl): heavy \
atoms in the bound frame. Anchors, counted from 1: {anchors}.
An anchor must be unique in its head and survive PRosettaC's conversion with Open Babel: {checks}.{babel}
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
DeepTernary (github.com/youqingxiaozhua/DeepTernary, predict.py): --p{n} ../{side}.pdb --unbound-lig{n} \
../{side}_ligand.pdb --lig{n}-mask lig{n}_mask_N.pdb; predict_btk.py takes the same as p{n}_path and so on.
A mask holds the atoms of the ligand that the degrader keeps when the linker leaves at site N.
--lig is your degrader as PDB, each bond once whatever its order, its atoms within 1 angstrom of both ligands: asked \
for with the degrader and {other}'s side, all files come in one frame with the command.
"""


_SEQUENCES = """\
Sequences are those of SEQRES, modified residues as their parents; of a complex of several chains those near the ligand.
"""

NOTES = {
    "p4ward": """\
P4ward (github.com/SKTeamLab/P4ward): python -m p4ward --config_file config.ini --check_lig_matches, then without the \
check. Of one half alone, put the other's receptor or ligase files and protacs.smiles beside it.
Ligands hold what the degrader keeps, with all hydrogens, so that what P4ward counts as linker is the linker.
""",
    "af3": f"""\
AlphaFold 3 (github.com/google-deepmind/alphafold3): run_alphafold.py --json_path=job.json.
{_SEQUENCES}The format knows no pockets; a covalent bond is told where the ligand has a component code.
""",
    "boltz": f"""\
Boltz-2 (github.com/jwohlwend/boltz): boltz predict job.yaml --use_msa_server.
{_SEQUENCES}pocket: the nearest residues within 4.5 angstroms; contact: the anchor by Boltz's name.
""",
    "chai": f"""\
Chai-1 (github.com/chaidiscovery/chai-lab): chai-lab fold job.fasta results --constraint-path job.restraints.
{_SEQUENCES}Chains are A, B, C by their order, the ligand last; pocket restraints name residues by letter and number.
""",
}
"""What stands beside the files that are made on demand."""


def readmes(
    ligand: RankedLigand, side: Side, protein: Protein, shown: Sequence[ExitFiles], babel: OpenBabel | None
) -> dict[str, str]:
    """Return a README of three lines for the folder of a ligand and for each tool, by path.

    Parameters
    ----------
    side : Side
        Half of the degrader that it is.
    babel : OpenBabel or None
        The program that the heads were converted with, if they were.
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
            checks="; ".join(f"site {one.site_rank} {_alike(one)}" for one in shown),
            babel=_converted(shown, babel),
            **names,
        ),
        "protac_ternary/README.txt": _PROTAC_TERNARY.format(**names),
        "deepternary/README.txt": _DEEPTERNARY.format(**names),
    }


def _converted(shown: Sequence[ExitFiles], babel: OpenBabel | None) -> str:
    """Return what the conversion did to each anchor."""
    if babel is None:
        return " The conversion was not tried."
    outcomes = {one.site_rank: one.open_babel["outcome"] for one in shown}
    tried = "; ".join(f"site {site} {outcome}" for site, outcome in outcomes.items())
    trouble = "".join(f" {code}: {OUTCOMES[code]}" for code in (OTHER, LOST) if code in outcomes.values())
    return f" With Open Babel {babel.version}: {tried}.{trouble}"


def _warning(ligand: RankedLigand) -> str:
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
