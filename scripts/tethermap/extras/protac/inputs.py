"""All inputs of one ligand for programs that model degraders, as texts by path."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from tethermap.base.tables import JOINED, Row, Value
from tethermap.extras.protac import texts
from tethermap.extras.protac.exits_json import exits_json
from tethermap.extras.protac.fragments import FILE as FRAGMENTS
from tethermap.extras.protac.fragments import fragments_json
from tethermap.extras.protac.half import Halves, RequestedHalf
from tethermap.extras.protac.ligand import RankedExit, RankedLigand
from tethermap.extras.protac.program import Site, WrittenSite
from tethermap.extras.protac.programs import names, program
from tethermap.extras.protac.protein import protein_of
from tethermap.extras.protac.readme import readme
from tethermap.extras.protac.round_trip import OpenBabel
from tethermap.extras.protac.side import Side
from tethermap.extras.protac.warhead import WarheadSmiles

_OF_EXIT = ("site_rank", "rank", "anchor_atom", "sdf_index", "score", "closed")
"""Columns of the table of exits that the rows repeat."""


@dataclass(slots=True)
class InputMaker:
    """Makes the inputs of ligands; remembers the SMILES that ligands of one component share.

    Parameters
    ----------
    side : Side
        Half of the degrader that the job is about.
    babel : OpenBabel or None
        Converts each head with PRosettaC's method, which shows whether its anchor survives; runs never do so.
    """

    side: Side
    babel: OpenBabel | None = None
    _smiles: dict[tuple[object, ...], str] = field(default_factory=dict)

    def make(
        self, target_name: str, ligand: RankedLigand, complex_text: str | None, chosen: Sequence[RankedExit]
    ) -> tuple[dict[str, str], list[Row]]:
        """Return the files of a ligand by path in its folder, and its rows of `tables.PROTAC_INPUTS`.

        Parameters
        ----------
        target_name : str
            Target as given.
        ligand : RankedLigand
            The ligand; one without ranked exits has a row with the reason and no files.
        complex_text : str or None
            Its cleaned complex as PDB; None if it does not fit the format.
        chosen : sequence of RankedExit
            The exits that get files, one of each site at most; all ranked exits are in the JSON.
        """
        instance, side = ligand.instance, self.side
        cells: dict[str, Value] = {
            "Target": target_name,
            "pdb_id": instance.entry_id,
            "Chain": instance.name.auth_asym_id,
            "Warhead": instance.name.comp_id,
            "Residue_ID": instance.name.residue_id,
            "side": side.name,
            "stem": instance.stem,
            "atoms_missing": JOINED.join(ligand.molecule.atoms_missing),
        }
        if not ligand.exits:
            return {}, [{**cells, "reason": "no_ranked_exit"}]
        own = {int(serial) for serial in instance.atoms.serial.tolist()} - {0}
        protein = protein_of(complex_text, own, side, instance.stem)
        ligand_file = f"{side.name}_ligand.pdb"
        files = {ligand_file: texts.ligand_pdb(ligand.graph, ligand.names, side)}
        if protein.text:
            files[f"{side.name}.pdb"] = protein.text
            cells["protein_file"] = f"{instance.stem}/{side.name}.pdb"
        cells.update(protein_chains=protein.chains, ligand_file=f"{instance.stem}/{ligand_file}", reason=protein.reason)
        smiles = self._smiles_of(ligand)
        shown: list[WrittenSite] = []
        rows: list[Row] = []
        makers = {name: maker for name in names() if (maker := program(name)).site}
        for one in chosen:
            site = Site(ligand, one, side, protein.chains, smiles[one.rank], self.babel)
            made = {name: maker.site(site) for name, maker in makers.items() if maker.site}
            shown.append(WrittenSite(site, made))
            rows.append({**cells, **{key: one.row[key] for key in _OF_EXIT}, "smiles": site.smiles})
            for part in made.values():
                files.update(part.files)
                rows[-1] = {**rows[-1], **part.columns}
        files["README.txt"] = readme(ligand, side, protein)
        files |= {f"{name}/README.txt": maker.readme(side, shown, self.babel) for name, maker in makers.items()}
        files["exits.json"] = exits_json(ligand, side, protein, shown, smiles)
        return files, rows

    def _smiles_of(self, ligand: RankedLigand) -> dict[int, str]:
        """Return the SMILES of the warhead of each exit by its rank, made once for equal molecules with equal names."""
        same = (ligand.molecule.observed_smiles, ligand.graph.names)
        maker: WarheadSmiles | None = None
        smiles_by_rank = {}
        for one in ligand.exits:
            key = (same, one.anchor, one.leaving)
            if key not in self._smiles:
                maker = maker or WarheadSmiles(ligand.molecule)
                self._smiles[key] = maker.of(one.anchor, one.leaving)
            smiles_by_rank[one.rank] = self._smiles[key]
        return smiles_by_rank


def shared_files(
    halves: Sequence[RequestedHalf], degrader: str, tools: Collection[str] | None = None
) -> dict[str, str]:
    """Return the files that are made on demand, of one half or both, by path.

    Parameters
    ----------
    halves : sequence of RequestedHalf
        One, or the target's and that of the E3 ligase.
    degrader : str
        SMILES of the degrader; empty if unknown.
    tools : collection of str or None
        One of `programs.tools`; None for all.
    """
    files = {FRAGMENTS: fragments_json(halves)}
    both = Halves(tuple(sorted(halves, key=lambda half: half.side.number)), degrader)
    for name in names():
        if tools is not None and name not in tools:
            continue
        maker = program(name)
        made = maker.halves(both) if maker.halves else {}
        files.update(made)
        if len(halves) > 1 and maker.pair:
            files[f"{name}/README.txt"] = maker.pair
        elif made and not maker.site:
            files[f"{name}/README.txt"] = maker.readme(both.ordered[0].side, (), None)
    return files
