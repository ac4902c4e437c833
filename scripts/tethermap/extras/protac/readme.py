"""The README of a ligand's folder."""

from __future__ import annotations

from tethermap.base.reasons import PROTAC_REASONS
from tethermap.extras.protac.ligand import RankedLigand
from tethermap.extras.protac.protein import Protein
from tethermap.extras.protac.side import Side, side_named

_ALL = """\
Inputs for programs that model degraders, from WAR_PDB/{stem} and its SDF. This is {named}'s side (setting \
protac_inputs.side). Exit site 1 is the best.
exits.json lists every ranked exit: its anchor by SDF index (from 0), serial in WAR_PDB, atom name and dictionary \
name; position, direction, score and leaving atoms; and the SMILES of the remaining ligand, [*] for the linker.
{protein}. {side}_ligand.pdb has the ligand's heavy atoms; serial = SDF index + 1 and each name is unique.{warning}
"""


def readme(ligand: RankedLigand, side: Side, protein: Protein) -> str:
    """Return the README text on the files that all programs share."""
    chains = f"{side.name}.pdb: its polymer as {' '.join(protein.chains)}"
    return _ALL.format(
        stem=ligand.instance.stem,
        protein=chains if protein.text else PROTAC_REASONS[protein.reason],
        warning=_warning(ligand),
        side=side.name,
        named=side_named(side.name),
    )


def _warning(ligand: RankedLigand) -> str:
    """Return the notes on a covalent ligand and on an incompletely observed one."""
    links = [link for link in ligand.instance.links if link.kind == "covalent"]
    partners = ", ".join(f"{one.partner_atom} of {one.partner.comp_id} {one.partner.residue_id}" for one in links)
    stated = "jobs of AlphaFold 3, Boltz and Protenix state that bond if the ligand has a component code, others do not"
    covalent = f" It is covalently bound to {partners}; {stated}." if links else ""
    missing = ligand.molecule.atoms_missing
    if not missing:
        return covalent
    count = "1 atom was" if len(missing) == 1 else f"{len(missing)} atoms were"
    return f"{covalent} {count} not observed: {' '.join(missing)}; heads, masks and SMILES do not contain them."
