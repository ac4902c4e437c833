"""Ligands of finished jobs that are like a molecule: the same, with it as a part, part of it, or similar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rdkit import Chem, DataStructs, rdBase
from rdkit.Chem import rdFingerprintGenerator

from tethermap.base.tables import RESULTS_TABLE, read_table
from tethermap.extras.protac.on_demand import molecule_of

LEAST_SIMILARITY = 0.35
"""Least Tanimoto similarity of Morgan fingerprints of radius 2 (2,048 bits) of a ligand that is listed. House rule."""

_COLUMNS = ("Warhead", "SMILES")
_ORDER = ("same", "contains", "part", "similar")


def closest(smiles: str, jobs: Sequence[Path], most: int) -> list[dict[str, object]]:
    """Return the ligands of the given jobs that are closest to a molecule, each component of a job once.

    Parameters
    ----------
    smiles : str
        The molecule.
    jobs : sequence of Path
        Folders of finished jobs.
    most : int
        Maximum number of ligands.

    Returns
    -------
    list of dict
        ``job`` (its number in `jobs`), ``ligand`` (component code), ``similarity`` (Tanimoto) and ``relation``:
        ``same``, ``contains`` (the molecule is a part of the ligand), ``part`` (the reverse) or ``similar``.

    Raises
    ------
    NoMoleculeError
        If the text is no molecule.
    """
    molecule = molecule_of(smiles, "This")
    with rdBase.BlockLogs():
        found = [hit for number, job in enumerate(jobs) for hit in _of_job(number, job, molecule)]
    found.sort(key=lambda hit: (_ORDER.index(str(hit["relation"])), -float(str(hit["similarity"]))))
    return found[:most]


def _of_job(number: int, job: Path, molecule: Chem.Mol) -> Iterator[dict[str, object]]:
    fingerprints = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    own, name = fingerprints.GetFingerprint(molecule), Chem.MolToSmiles(molecule, isomericSmiles=False)
    rows = read_table(job / RESULTS_TABLE.path, RESULTS_TABLE, names=_COLUMNS, strict=False)
    for code, smiles in {str(row["Warhead"]): str(row["SMILES"]) for row in rows}.items():
        ligand = Chem.MolFromSmiles(smiles)
        if ligand is None:
            continue  # type: ignore[unreachable]
        similarity = DataStructs.TanimotoSimilarity(own, fingerprints.GetFingerprint(ligand))
        if Chem.MolToSmiles(ligand, isomericSmiles=False) == name:
            relation = "same"
        elif ligand.HasSubstructMatch(molecule):
            relation = "contains"
        elif molecule.HasSubstructMatch(ligand):
            relation = "part"
        elif similarity >= LEAST_SIMILARITY:
            relation = "similar"
        else:
            continue
        yield {"job": number, "ligand": code, "relation": relation, "similarity": round(similarity, 3)}
