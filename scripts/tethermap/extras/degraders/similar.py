"""Ligands of finished jobs and of the dictionary that are like a molecule: the same, with it as a part, or similar."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rdkit import Chem, DataStructs, rdBase
from rdkit.Chem import rdFingerprintGenerator, rdFMCS
from rdkit.Chem.Draw import rdMolDraw2D

from tethermap.base.tables import RESULTS_TABLE, read_table
from tethermap.components.index import ComponentIndex
from tethermap.extras.protac.on_demand import molecule_of
from tethermap.molecule.dictionary import dictionary_smiles

LEAST_SIMILARITY = 0.35
"""Least Tanimoto similarity of Morgan fingerprints of radius 2 (2,048 bits) of a ligand that is listed. House rule."""

_COLUMNS = ("Warhead", "SMILES")
_LEAST_OVERLAP = 0.45
"""Least share of heavy atoms of the same elements of a component that is compared. House rule."""

_MOST_COMPARED = 1500
_SIZE = 260, 170
_PART = re.compile(r"([A-Z][a-z]?)(\d*)")
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
        compare = _comparison(molecule)
        found: list[dict[str, object]] = []
        for number, job in enumerate(jobs):
            rows = read_table(job / RESULTS_TABLE.path, RESULTS_TABLE, names=_COLUMNS, strict=False)
            for code, smiles in {str(row["Warhead"]): str(row["SMILES"]) for row in rows}.items():
                ligand = _read(smiles)
                if ligand and (hit := compare(ligand)):
                    found.append({"job": number, "ligand": code, **hit})
    return sorted(found, key=_place)[:most]


def closest_components(
    smiles: str, index: ComponentIndex, entries: Mapping[str, Sequence[str]] | None, most: int
) -> list[dict[str, object]]:
    """Return the components of the dictionary that are closest to a molecule.

    Parameters
    ----------
    smiles : str
        The molecule.
    index : ComponentIndex
        The dictionary.
    entries : mapping of str to sequence of str, or None
        Entries of each component of the source, which are the only ones to compare; None for all components.
    most : int
        Maximum number of components.

    Returns
    -------
    list of dict
        ``ligand``, ``name``, ``smiles``, ``entries``, ``relation`` and ``similarity`` as of `closest`, ``differs``
        (heavy atoms that are not common to both) and ``svg``, a drawing with these atoms of the component marked.
    """
    molecule = molecule_of(smiles, "This")
    heavy: Counter[str] = Counter(atom.GetSymbol() for atom in molecule.GetAtoms() if atom.GetAtomicNum() > 1)

    def overlap(formula: str) -> float:
        parts = {element: int(count or 1) for element, count in _PART.findall(formula)}
        counts: Counter[str] = Counter({element: parts[element] for element in parts.keys() - {"H", "D"}})
        return (counts & heavy).total() / max(1, (counts | heavy).total())

    codes = ((code, overlap(formula)) for code, formula in index.formulas(entries))
    likely = sorted((row for row in codes if row[1] >= _LEAST_OVERLAP), key=lambda row: (-row[1], row[0]))
    compare = _comparison(molecule)
    found = []
    with rdBase.BlockLogs():
        for code, _ in likely[:_MOST_COMPARED]:
            component = index.get(code)
            ligand = _read(dictionary_smiles(component, neutral=True)) if component else None
            if component and ligand and (hit := compare(ligand)):
                found.append((hit, component, ligand))
        found.sort(key=lambda one: (_place(one[0]), one[1].comp_id))
        return [
            {
                "ligand": component.comp_id,
                "name": next(iter(component.synonyms), component.name),
                "smiles": Chem.MolToSmiles(ligand),
                "entries": list((entries or {}).get(component.comp_id, ())),
                **hit,
                **_difference(molecule, ligand),
            }
            for hit, component, ligand in found[:most]
        ]


def _difference(molecule: Chem.Mol, ligand: Chem.Mol) -> dict[str, object]:
    """Return how many atoms a ligand and a molecule do not share, and a drawing that marks those of the ligand."""
    common = rdFMCS.FindMCS([molecule, ligand], timeout=1, ringMatchesRingOnly=True, completeRingsOnly=True)
    pattern = Chem.MolFromSmarts(common.smartsString) if common.numAtoms else None
    shared = ligand.GetSubstructMatch(pattern) if pattern is not None else ()
    marked = [atom.GetIdx() for atom in ligand.GetAtoms() if atom.GetIdx() not in shared]
    drawer = rdMolDraw2D.MolDraw2DSVG(*_SIZE)
    rdMolDraw2D.PrepareAndDrawMolecule(drawer, ligand, highlightAtoms=marked, highlightBonds=[])
    drawer.FinishDrawing()
    differs = len(marked) + molecule.GetNumHeavyAtoms() - len(shared)
    return {"differs": differs, "svg": drawer.GetDrawingText().partition("?>")[2].strip()}


def _read(smiles: str) -> Chem.Mol | None:
    return Chem.MolFromSmiles(smiles) if smiles else None


def _place(hit: Mapping[str, object]) -> tuple[int, float]:
    return _ORDER.index(str(hit["relation"])), -float(str(hit["similarity"]))


def _comparison(molecule: Chem.Mol) -> Callable[[Chem.Mol], dict[str, object] | None]:
    """Return a function that gives the relation of a ligand to a molecule, None if they have little in common."""
    fingerprints = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    own, name = fingerprints.GetFingerprint(molecule), Chem.MolToSmiles(molecule, isomericSmiles=False)

    def compare(ligand: Chem.Mol) -> dict[str, object] | None:
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
            return None
        return {"relation": relation, "similarity": round(similarity, 3)}

    return compare
