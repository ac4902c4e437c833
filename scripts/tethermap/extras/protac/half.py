"""One half of a degrader with its files, and the files that programs get of one half or of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from rdkit import Chem

from tethermap.extras.programs import af3, boltz, chai, deepternary, p4ward
from tethermap.extras.programs.prosettac import degrader_line, pair_params
from tethermap.extras.protac.fragments import FILE as FRAGMENTS
from tethermap.extras.protac.fragments import Fragment, fragments_json
from tethermap.extras.protac.ligand import RankedExit, RankedLigand
from tethermap.extras.protac.pose import Pose, degrader_pose, matched_halves
from tethermap.extras.protac.protein import protein_of
from tethermap.extras.protac.readme import NOTES
from tethermap.extras.protac.side import Side
from tethermap.extras.protac.subject import FoldedHalf, FoldedLigand, Numbering, Subject, told_name
from tethermap.extras.protac.warhead import Warhead, core_cut, core_with_hydrogens, cut_warhead


@dataclass(frozen=True, eq=False)
class AskedHalf:
    """One half that was asked for.

    Parameters
    ----------
    side : Side
        Which half it is.
    target_name : str
        Target of its job.
    ligand, exit : RankedLigand, RankedExit
        Its ligand and exit.
    complex_text : str or None
        Its cleaned complex as PDB.
    smiles : str
        The warhead with ``[*]`` for the linker.
    gene : str
        Gene of the E3 ligase, where it is one that degraders recruit.
    files : dict of str to str
        Files that need nothing of the other half, by path.
    """

    side: Side
    target_name: str
    ligand: RankedLigand
    exit: RankedExit
    complex_text: str | None
    smiles: str
    gene: str
    files: dict[str, str]

    @cached_property
    def cut(self) -> tuple[int, tuple[int, ...]]:
        """Anchor and leaving atoms of what its degrader keeps."""
        return core_cut(self.ligand.graph, self.exit.anchor, self.exit.leaving)

    @cached_property
    def warhead(self) -> Warhead:
        """What its degrader keeps."""
        return cut_warhead(self.ligand.molecule, *self.cut)

    @property
    def ligand_file(self) -> str:
        """Name of its ligand's file."""
        return f"{self.side.name}_ligand.pdb"

    @property
    def number(self) -> int:
        """Number at the end of its files' names."""
        return self.exit.site_rank

    def fragment(self) -> Fragment:
        """Return it as a linker designer sees it."""
        instance = self.ligand.instance
        direction = np.array([float(self.exit.row[f"vector_{axis}"] or 0.0) for axis in "xyz"])
        return Fragment(self.side.name, instance.stem, instance.entry_id, self.smiles, self.warhead, direction)

    def p4ward(self) -> Iterator[tuple[str, str]]:
        """Yield its files for P4ward."""
        part = p4ward.PARTS[self.side.name]
        if (protein := self.files.get(f"{self.side.name}.pdb")) is not None:
            yield f"{p4ward.FOLDER}/{part}.pdb", protein
        mol = core_with_hydrogens(self.ligand.molecule, *self.cut)
        yield f"{p4ward.FOLDER}/{part}_ligand.mol2", p4ward.ligand_mol2(mol, f"{self.ligand.instance.stem} {part}")

    def folded(self) -> tuple[Numbering, FoldedHalf] | None:
        """Return its protein as co-folding programs need it; None without a protein file."""
        if self.complex_text is None:
            return None
        own = {int(serial) for serial in self.ligand.instance.atoms.serial.tolist()} - {0}
        letters = protein_of(self.complex_text, own, self.side, "").letters
        if not letters:
            return None
        numbering = Numbering(self.complex_text, letters)
        xyz = self.ligand.graph.xyz
        return numbering, numbering.half(xyz[list(self.warhead.kept)], xyz[self.cut[0]])


def shared_files(halves: Sequence[AskedHalf], degrader: str) -> dict[str, str]:
    """Return the files that tell of a degrader or of more than one half, by path.

    Parameters
    ----------
    halves : sequence of AskedHalf
        One, or the target's and that of the E3 ligase.
    degrader : str
        Its SMILES; empty where none is given.
    """
    gene = next((half.gene for half in halves if half.gene), "")
    files = {path: text for half in halves for path, text in half.p4ward()}
    files[p4ward.CONFIG] = p4ward.config(gene)
    files[FRAGMENTS] = fragments_json([half.fragment() for half in halves])
    files[f"{p4ward.FOLDER}/README.txt"] = NOTES["p4ward"]
    ordered = sorted(halves, key=lambda half: half.side.number)
    if len(halves) > 1:
        files["prosettac/Protac_params.txt"] = pair_params([_of_prosettac(half) for half in ordered])
    matches: tuple[tuple[int, ...], ...] = ()
    if degrader:
        files[p4ward.PROTACS] = p4ward.protacs(degrader)
        files["prosettac/protac.smi"] = degrader_line(degrader)
        warheads = tuple(half.warhead for half in ordered)
        matches = matched_halves(Chem.MolFromSmiles(degrader), warheads)
        if (pose := degrader_pose(degrader, warheads)) is not None:
            files.update(_in_one_frame(ordered, pose))
    files.update(_cofolding(ordered, degrader, matches))
    return files


def _of_prosettac(half: AskedHalf) -> tuple[str, str, str, str]:
    chains = "".join(
        dict.fromkeys(
            line[21] for line in half.files.get(f"{half.side.name}.pdb", "").splitlines() if line.startswith("ATOM")
        )
    )
    return f"{half.side.name}.pdb", chains, f"{half.side.name}_head_{half.number}.sdf", str(half.warhead.anchor + 1)


def _in_one_frame(ordered: Sequence[AskedHalf], pose: Pose) -> dict[str, str]:
    """Return DeepTernary's degrader and, of two halves, all its files in the frame of the E3 ligase."""
    files = {deepternary.DEGRADER: deepternary.degrader_pdb(pose)}
    if len(ordered) < 2:
        return files
    sides = []
    for place, half in enumerate(ordered):
        number = half.side.number
        named = {
            f"p{number}.pdb": half.files.get(f"{half.side.name}.pdb", ""),
            f"lig{number}.pdb": half.files[half.ligand_file],
            f"lig{number}_mask.pdb": half.files[f"deepternary/lig{number}_mask_{half.number}.pdb"],
        }
        for name, text in named.items():
            files[f"deepternary/{name}"] = deepternary.moved(text, pose) if place else text
        sides.append(tuple(named))
    files[deepternary.RUN] = deepternary.command(*sides)
    return files


def _cofolding(ordered: Sequence[AskedHalf], degrader: str, matches: tuple[tuple[int, ...], ...]) -> dict[str, str]:
    """Return the jobs of co-folding programs; none where a protein file is missing."""
    folded = [half.folded() for half in ordered]
    if None in folded:
        return {}
    parts = [part for part in folded if part is not None]
    if degrader:
        places = [match[half.warhead.anchor] for half, match in zip(ordered, matches, strict=False)]
        ligand = FoldedLigand("X", degrader, anchors=tuple(places))
    elif len(ordered) == 1:
        ligand = _alone(ordered[0], parts[0][0])
    else:
        return {}
    name = told_name([part for half in ordered for part in (half.target_name, half.ligand.instance.stem)])
    subject = Subject(name, tuple(half for _, half in parts), ligand)
    return {
        **{f"{tool}/README.txt": NOTES[tool] for tool in ("af3", "boltz", "chai")},
        "af3/job.json": af3.job(subject),
        "boltz/job.yaml": boltz.job(subject),
        "chai/job.fasta": chai.fasta(subject),
        "chai/job.restraints": chai.restraints(subject),
    }


def _alone(half: AskedHalf, numbering: Numbering) -> FoldedLigand:
    """Return the ligand of one half alone, by the code of its component where it is one whole component."""
    instance, molecule = half.ligand.instance, half.ligand.molecule
    names = molecule.dictionary_names
    known = len(instance.components) == 1 and molecule.bond_source == "dictionary" and all(names)
    comp_id = instance.name.comp_id if known else ""
    links = [link for link in instance.links if link.kind == "covalent" and link.atom in molecule.atom_index]
    bond = None
    if comp_id and links:
        partner = links[0].partner
        place = numbering.places.get((partner.auth_asym_id, partner.residue_id))
        own = names[molecule.atom_index.tolist().index(links[0].atom)]
        bond = (place, links[0].partner_atom, own) if place else None
    anchor: str | int = names[half.cut[0]] if comp_id else int(molecule.smiles_index[half.cut[0]])
    return FoldedLigand(half.side.ligand_chain, molecule.observed_smiles, comp_id, (anchor,), bond)
