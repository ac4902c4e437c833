"""Split a user's files into files of one complex each: separate ligand files, several models, confidences.

Files that need no change are used in place. The others are written once into the cache, by content: the same input
gives
the same bytes anywhere.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import gemmi
import numpy as np

from tethermap.base.atomic import write_text
from tethermap.base.errors import failed_at, isolate_errors
from tethermap.base.packed import GZIP, DamagedGzip, ending_of, unpacked
from tethermap.entry.reader import EntryError, Parsed, parse_file, read_text
from tethermap.formats.plain import plain_text
from tethermap.formats.text import FormatError
from tethermap.sources.own.archives import forget_unused, made_once
from tethermap.sources.own.confidence import aligned_errors, confidence_file, read_scores, score_files
from tethermap.sources.own.merge import merged, with_confidences
from tethermap.sources.own.pairing import is_pocket, key_of, paired
from tethermap.sources.own.poses import LigandFileError, LigandPose, het_poses, read_poses
from tethermap.sources.own.sniff import BESIDE, StructureFile, stem_of

MOST_MODELS = 200
"""Maximum number of models of one file that become separate complexes."""

_Beside = tuple[str | None, list[str]]
"""Files next to a model: its error matrix, None if there is none, and its scores."""

_RESIDUES = re.compile(
    r"^(?:ATOM  |HETATM).{11}(?:ALA|GLY|LEU|SER|VAL|LYS|GLU|ILE|THR|ASP|  [ACGU]| D[ACGT])", re.MULTILINE
)
_ATOMS = re.compile(r"^(?:ATOM  |HETATM)", re.MULTILINE)
_LARGEST_LIGAND = 300_000
"""Bytes of an mmCIF file from which it is not checked whether it has only ligands."""

_UNPAIRED = "{} has no structure: name it as the structure's file, or list the pairs in two columns of a .csv file."
_BLOCKS = "{} has {} data blocks with atoms; only {} is used: write each structure to a file, or all to one block."
_BLOCK = re.compile(r"^data_(\S*)", re.MULTILINE | re.IGNORECASE)
_COORDINATES = re.compile(r"^_atom_site\.Cartn_x", re.MULTILINE | re.IGNORECASE)
_FAILED = "{} was skipped because of an error in this program; see the log."
_MODEL = re.compile(r"^MODEL\s", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Complex(StructureFile):
    """A file with one complex, with the path of the user's original file and the number of the model in it."""

    given: str
    record: int = 1


@dataclass(slots=True)
class Given:
    """A user's files, sorted by kind; paths as text.

    Parameters
    ----------
    structures : list of Complex
        Structure files.
    ligands : list of str
        Separate ligand files.
    pairs : list of (str, str)
        Structures and ligands that a list pairs.
    labels : dict of str to str
        All files, with the name by which the user knows each.
    folders : dict of str to str
        Folder of the user's file that a file elsewhere was made from.
    failed : dict of str to str
        Structures on which this program has failed, with the step and the error (`prepared`).
    """

    structures: list[Complex] = field(default_factory=list)
    ligands: list[str] = field(default_factory=list)
    pairs: list[tuple[str, str]] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)
    folders: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


def prepared(given: Given, folder: Path) -> tuple[list[Complex], dict[str, str], list[str]]:
    """Return the complexes of the given files, the structure of each ligand file, and sentences on unusable files.

    Parameters
    ----------
    given : Given
        The files.
    folder : Path
        Folder of this version for complexes assembled from several files; old ones of all versions are removed.
    """
    forget_unused(folder.parent)
    given.structures = [_plain(file, folder) for file in given.structures]
    structures, without_polymer = _told_apart(given)
    ligands = [*given.ligands, *without_polymer]
    pairs, alone = paired([file.given for file in structures], ligands, given.pairs, given.folders)
    structures += [without_polymer[place] for place in alone if place in without_polymer]
    notes = [_UNPAIRED.format(Path(place).name) for place in alone if place not in without_polymer]
    read_from = {place: file.place for place, file in without_polymer.items()}
    whole = {key_of(file.given) for file in structures if not is_pocket(file.given)}
    complexes = []
    for file in structures:
        own = pairs.get(file.given, [])
        if not own and is_pocket(file.given) and key_of(file.given) in whole:
            notes.append(f"{Path(file.given).name} was skipped: it is a part of another structure.")
            continue
        names = _blocks_with_atoms(_text(file)) if file.is_mmcif else []
        notes += [_BLOCKS.format(Path(file.given).name, len(names), names[0])] if len(names) > 1 else []
        ligand_files = {read_from.get(place, place): given.labels.get(place, Path(place).name) for place in own}
        beside = confidence_file(file.given, given.labels), score_files(file.given, given.labels)
        of_file = [file]
        if own or any(beside) or _has_models(file):
            with isolate_errors(file.given) as errors:
                label = given.labels.get(file.given, "")
                of_file, file_notes = _kept_or_made(file, ligand_files, beside, folder, label)
                notes += file_notes
            for error in errors:
                given.failed[file.given] = failed_at("search_entries", error)
        complexes += of_file
    return complexes, {ligand: place for place, ligands in pairs.items() for ligand in ligands}, notes


def _plain(file: Complex, folder: Path) -> Complex:
    """Return a structure as a plain PDB or mmCIF file: the original path, or a file in the cache."""
    path = Path(file.place)
    try:
        raw = path.read_bytes()
        data = unpacked(raw)
        text = plain_text(data)
    except (OSError, DamagedGzip, FormatError):  # the reader reports it
        return file
    if text.encode() == data and (raw is data or raw.startswith(GZIP)):
        return file
    name = f"{stem_of(path.name)}.{'cif' if file.is_mmcif else 'pdb'}"

    def write(made: Path) -> None:
        write_text(made / name, text)
        for beside in path.parent.iterdir():  # maps and reports
            named = beside.name.startswith((stem_of(path.name), file.entry_id))
            if named and (ending_of(beside.name) in BESIDE or "_validation." in beside.name):
                with suppress(FileExistsError):
                    (made / beside.name).symlink_to(beside.resolve())

    made, _ = made_once(folder, [file.given, hashlib.sha256(data).hexdigest()], write)
    return replace(file, place=str(made / name))


def _told_apart(given: Given) -> tuple[list[Complex], dict[str, Complex]]:
    """Return structures, and those by path that contain atoms but no residue of a polymer: ligands, next to others."""
    structures: list[Complex] = []
    without: dict[str, Complex] = {}
    listed = {ligand for _, ligand in given.pairs}
    for file in given.structures:
        if _has_only_ligands(file):
            without[file.given] = file
        elif file.given not in listed:
            structures.append(file)
    return (structures, without) if structures else (list(without.values()), {})


def _has_only_ligands(file: Complex) -> bool:
    """Return whether a structure has atoms, but no residue of a polymer."""
    if not file.is_mmcif:
        text = _text(file)
        return _ATOMS.search(text) is not None and _RESIDUES.search(text) is None
    with suppress(EntryError, OSError):
        if Path(file.place).stat().st_size < _LARGEST_LIGAND:
            residues = (one for chain in parse_file(Path(file.place), file.entry_id).structure[0] for one in chain)
            return all(one.entity_type == gemmi.EntityType.NonPolymer for one in residues)
    return False


def _text(file: Complex) -> str:
    with suppress(EntryError, OSError):
        return read_text(Path(file.place))
    return ""


def _blocks_with_atoms(text: str) -> list[str]:
    """Return the names of the data blocks of an mmCIF text that have atoms, as PyMOL writes one for each object."""
    _, *parts = _BLOCK.split(text)
    return [name for name, block in zip(parts[::2], parts[1::2], strict=True) if _COORDINATES.search(block)]


def _has_models(file: Complex) -> bool:
    """Return whether a file has several models that are not an experimental ensemble."""
    text = _text(file)
    if not file.is_mmcif:
        return len(_MODEL.findall(text)) > 1 and "\nEXPDTA" not in f"\n{text}"
    rows = re.findall(r"^(?:ATOM|HETATM)\s.*$", text, re.MULTILINE)
    tags = re.findall(r"^_atom_site\.(\S+)", text, re.MULTILINE)
    if "pdbx_PDB_model_num" not in tags or not rows or "_exptl.method" in text:
        return False
    place = tags.index("pdbx_PDB_model_num")
    ends = [row.split() for row in (rows[0], rows[-1])]
    return all(len(cells) == len(tags) for cells in ends) and ends[0][place] != ends[1][place]


def _kept_or_made(
    file: Complex, ligands: Mapping[str, str], beside: _Beside, folder: Path, label: str
) -> tuple[list[Complex], list[str]]:
    """Return the complexes of one structure, from an earlier run if nothing has changed.

    Parameters
    ----------
    ligands : mapping of str to str
        Files of its ligands, with the user's name of each.
    label : str
        The user's name of the structure.
    """
    used = (file.place, *ligands, *filter(None, [beside[0]]), *beside[1])
    states = [(place, state.st_size, state.st_mtime_ns) for place in used for state in [Path(place).stat()]]

    def write(made: Path) -> tuple[dict[str, int], list[str]]:
        notes: list[str] = []
        texts = _made(file, ligands, beside, label, notes)
        for name, (_, text) in texts.items():
            write_text(made / f"{name}.cif", text)
        return {name: number for name, (number, _) in texts.items()}, notes

    made, (names, notes) = made_once(folder, [file.entry_id, label, states], write)
    files = [Complex(name, str(made / f"{name}.cif"), True, file.given, number) for name, number in names.items()]
    return files or [file], notes


def _made(
    file: Complex, ligands: Mapping[str, str], beside: _Beside, label: str, notes: list[str]
) -> dict[str, tuple[int, str]]:
    """Return number of the model and text of each complex by its name; add sentences to the notes."""
    poses: list[LigandPose] = []
    for ligand, name in ligands.items():
        with isolate_errors(ligand) as failures:
            try:
                read, file_notes = read_poses(Path(ligand), name)
                poses += read
                notes += file_notes
            except (LigandFileError, OSError) as error:
                notes.append(f"{error}.")
        notes += [_FAILED.format(Path(ligand).name)] if failures else []
    try:
        parsed = parse_file(Path(file.place), file.entry_id)
    except EntryError:  # the status of the entry reports it
        return {}
    structures = list(_models(parsed, file.entry_id, poses, notes, label))
    if len(structures) > 1 or poses:
        return {name: (k, merged(model, poses, name, parsed.block)) for name, k, model in structures}
    confidences, scores = beside
    errors, note = aligned_errors(structures[0][2], Path(confidences)) if confidences is not None else ({}, "")
    notes += filter(None, [note])
    values = {name: value for path in scores for name, value in read_scores(Path(path)).items()}
    if not errors and not values:
        return {}
    own = read_text(Path(file.place)) if file.is_mmcif else ""
    text = own or merged(structures[0][2], poses, file.entry_id, parsed.block)
    return {file.entry_id: (1, with_confidences(text, errors, values))}


def _models(
    parsed: Parsed, name: str, poses: list[LigandPose], notes: list[str], label: str
) -> Iterator[tuple[str, int, gemmi.Structure]]:
    """Yield name, number and structure of each model of a file.

    Models without their own protein, or with the protein of the first model, are poses in the first model.
    """
    structure = parsed.structure
    first, *others = structure
    whole = []
    for number, model in enumerate(others, start=2):
        backbone, reference = _backbone(model), _backbone(first)
        same = len(backbone) == len(reference) and np.allclose(backbone, reference, atol=0.01)
        if not len(backbone) or same:
            found = het_poses(model, parsed)
            poses += [replace(pose, source_file=label, source_record=number, pose_rank=number) for pose in found]
        else:
            whole.append((number, model))
    if len(whole) >= MOST_MODELS:
        notes.append(f"{name}: only the first {MOST_MODELS} models are used.")
    for count, (number, model) in enumerate([(1, first), *whole][:MOST_MODELS], start=1):
        single = structure.clone()
        while len(single) > 1:
            del single[-1]
        if number > 1:
            del single[0]
            single.add_model(model.clone())
            parsed.sort(single)
        yield (f"{name}-model-{count}" if whole else name), number, single


def _backbone(model: gemmi.Model) -> np.ndarray:
    places = [atom.pos.tolist() for chain in model for residue in chain for atom in residue
              if atom.name in ("CA", "P") and residue.name != "CA"]  # fmt: skip
    return np.array(places).reshape(-1, 3)
