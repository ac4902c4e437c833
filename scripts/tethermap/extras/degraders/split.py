"""Find the ligands of a job that are the halves of a degrader, and the atoms at which its linker leaves them."""

from collections.abc import Iterator
from pathlib import Path

from rdkit import Chem

from tethermap.answers.observed.transfer import leaving_bonds
from tethermap.base.tables import EXIT_ANSWERS, RESULTS_TABLE, by_key, read_table
from tethermap.extras.protac.on_demand import molecule_of

FEWEST = 12
"""Fewest heavy atoms of a half."""


def halves_in(job: Path, smiles: str) -> Iterator[dict[str, object]]:
    """Yield the ligands of a job that are halves of a degrader, the largest first, each component once.

    A half is a ligand, or one without a small group at its end, that is a part of the degrader with one acyclic bond
    to the rest: the rule by which parents confirm observed exits.

    Parameters
    ----------
    job : Path
        Folder of a finished job.
    smiles : str
        The degrader.

    Raises
    ------
    NoMoleculeError
        If the degrader is no molecule.
    """
    degrader = molecule_of(smiles, "The degrader")
    halves = []
    # a job that failed has neither table, one of 0.1 no answers
    answers, results = (
        list(read_table(path, table, strict=False)) if (path := job / table.path).is_file() else []
        for table in (EXIT_ANSWERS, RESULTS_TABLE)
    )
    for comp_id, rows in by_key((str(row["Warhead"]), row) for row in results).items():
        ligand = Chem.MolFromSmiles(str(rows[0]["SMILES"]))
        if ligand is None:
            continue  # type: ignore[unreachable]
        for (anchor, _), core in leaving_bonds(degrader, ligand):
            if len(core) >= FEWEST:
                own = [row for row in answers if row["Warhead"] == comp_id]
                halves.append((len(core), comp_id, rows, anchor, core, own))
                break
    for count, comp_id, rows, anchor, core, own in sorted(halves, key=lambda item: (-item[0], item[1])):
        yield {
            "ligand": comp_id,
            "atoms": count,
            "anchor_in_degrader": anchor,
            "atoms_in_degrader": sorted(core),
            "entries": sorted({str(row["pdb_id"]) for row in rows}),
            "stems": [str(row["stem"]) for row in rows],
            "exits": [{key: row[key] for key in ("anchor_atom", "answer_rank", "action", "observed")} for row in own],
        }
