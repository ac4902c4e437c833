"""Inputs for programs that model degraders, for any ranked anchor of a finished job."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rdkit import Chem, rdBase

from tethermap.answers.sites import exit_sites
from tethermap.base import layout
from tethermap.base.errors import OTHER_VERSION_ERRORS, UserError
from tethermap.base.reasons import EXIT_REASONS
from tethermap.base.tables import EXIT_ANSWERS, JOINED, PUBLISHED_CELLS, Row, read_table
from tethermap.extras.protac.half import LigandHalf
from tethermap.extras.protac.inputs import InputMaker, shared_files
from tethermap.extras.protac.ligand import RankedExit, RankedLigand, complex_text, unread_of
from tethermap.extras.protac.pose import matched_halves
from tethermap.extras.protac.programs import MOST_SMILES, program, tools
from tethermap.extras.protac.round_trip import OpenBabel
from tethermap.extras.protac.side import E3, job_gene, job_side
from tethermap.run.exit_status import NO_INPUTS, NO_MOLECULE, NO_SECOND_MOLECULE

_OF_ONE_HALF = ("README.txt", "Protac_params_")
"""Beginnings of names of files that leave the other half open."""

OTHER_VERSION = "The job's working files are of another version: run it again."


class NoInputsError(UserError):
    """There are no inputs for the request; the message gives the reason, `status` is that of the process."""

    status = NO_INPUTS


class NoMoleculeError(NoInputsError):
    """The SMILES of the request is invalid."""

    status = NO_MOLECULE


class NoSecondMoleculeError(NoMoleculeError):
    """The second SMILES of the request is invalid."""

    status = NO_SECOND_MOLECULE


def molecule_of(smiles: str, subject: str) -> Chem.Mol:
    """Return the molecule of a SMILES in a request; `subject` begins the message of the error.

    Raises
    ------
    NoMoleculeError
        If it is invalid, empty or longer than `MOST_SMILES` characters.
    """
    with rdBase.BlockLogs():
        molecule = Chem.MolFromSmiles(smiles) if len(smiles) <= MOST_SMILES else None
    if molecule is None or not molecule.GetNumAtoms():
        raise NoMoleculeError(f"{subject} is not a valid SMILES.")
    return molecule


@dataclass(frozen=True, slots=True)
class RequestedAnchor:
    """One anchor of one ligand of a finished job.

    Parameters
    ----------
    job : Path
        The job folder, with its working files.
    stem, anchor : str
        Ligand and atom as `stem` and `anchor_atom` of Exit_Vectors.csv have them.
    """

    job: Path
    stem: str
    anchor: str


def inputs_of_anchor(
    requested: RequestedAnchor,
    wanted: Collection[str] = (),
    *,
    degrader: str = "",
    other: RequestedAnchor | None = None,
    babel: OpenBabel | None = None,
) -> dict[str, str]:
    """Return the files for one anchor of a ligand of a finished job, or for two that a linker joins, by path.

    Files of one name have the bytes of those that the job itself writes with `protac_inputs.exits` above 0, except for
    additions: by Open Babel, and in jobs with `source.degraders` the columns `tables.PUBLISHED_CELLS` of exits.json.

    Parameters
    ----------
    requested : RequestedAnchor
        The anchor.
    wanted : collection of str
        One of `programs.tools`; empty for all.
    degrader : str
        SMILES of the degrader, if known.
    other : RequestedAnchor or None
        The other half: of a job about the other side.
    babel : OpenBabel or None
        If given, each head is converted with PRosettaC's method, and the outcome is in its exits.json and README.

    Raises
    ------
    NoInputsError
        If a job has no such ligand, the anchor has no rank, the degrader is not a molecule or does not contain the
        halves.
    """
    if unknown := sorted(set(wanted) - set(tools())):
        raise NoInputsError(f"There are no inputs for {unknown[0]}: give one of {', '.join(tools())}.")
    wanted = wanted or tools()
    made = [_half(one, babel) for one in (requested, other) if one is not None]
    halves, files = [half for half, _ in made], {path: text for _, own in made for path, text in own.items()}
    if other is not None and halves[0].side is halves[1].side:
        side = halves[0].side.name
        raise NoInputsError(f"Both are the side {side}: run one job with protac_inputs.side set to the other.")
    if degrader and not matched_halves(molecule_of(degrader, "The degrader"), tuple(half.warhead for half in halves)):
        named = " and ".join(f"{half.ligand.instance.stem} at {half.exit.row['anchor_atom']}" for half in halves)
        raise NoInputsError(f"The degrader does not contain {named} with its linker at this atom.")
    if other is not None:  # files of one half omit the other
        files = {path: text for path, text in files.items() if not path.rpartition("/")[2].startswith(_OF_ONE_HALF)}
    files.update(shared_files(halves, degrader, wanted))
    empty = [tool for tool in wanted if tool != "json" and not any(path.startswith(f"{tool}/") for path in files)]
    if len(empty) == len(wanted):
        raise NoInputsError(f"There are no files for {empty[0]}: it needs {program(empty[0]).needs}.")
    paths = {path for tool in wanted for path in _paths_of(tool, files)}
    return {path: text for path, text in files.items() if path in paths}


def _half(requested: RequestedAnchor, babel: OpenBabel | None) -> tuple[LigandHalf, dict[str, str]]:
    ligand, rows = ligand_of(requested.job, requested.stem)
    ligand = _with_published(requested.job, ligand)
    chosen = exit_at(ligand, rows, requested.anchor)
    settings = json.loads((requested.job / layout.JOB_CONFIG).read_text(encoding="utf-8"))
    if "protac_inputs" not in settings:
        raise NoInputsError(OTHER_VERSION)
    name, query = settings["target_name"], settings["search_query"]
    side = job_side(settings["protac_inputs"]["side"], name, query)
    gene = job_gene(name, query) if side is E3 else ""
    maker = InputMaker(name, side, gene, babel)
    files, _, (half,) = maker.make(ligand, complex_text(requested.job, ligand.instance), [chosen])
    return half, files


def _with_published(job: Path, ligand: RankedLigand) -> RankedLigand:
    """Return a ligand with the published degraders that leave at its exits, as Exit_Answers.csv has them."""
    path = job / layout.EXIT_ANSWERS
    names = (*PUBLISHED_CELLS, "stems", "exit_site")
    answers = read_table(path, EXIT_ANSWERS, strict=False, names=names) if path.is_file() else ()
    of_site = {
        row["exit_site"]: {name: row[name] for name in PUBLISHED_CELLS}
        for row in answers
        if PUBLISHED_CELLS[0] in row and ligand.instance.stem in str(row["stems"]).split(JOINED)
    }
    if not of_site:
        return ligand
    sites = exit_sites(ligand.molecule)
    exits = [replace(one, row={**one.row, **of_site.get(sites[one.anchor], {})}) for one in ligand.exits]
    return replace(ligand, exits=exits)


def _paths_of(tool: str, files: Collection[str]) -> set[str]:
    """Return the files of a tool: its folder, and for docking programs also the shared files."""
    if tool == "json":
        return {path for path in files if path.endswith(".json") and "/" not in path}
    own = {path for path in files if path.startswith(f"{tool}/")}
    shared = {path for path in files if "/" not in path and not path.endswith(".json")}
    return own | (shared if program(tool).site else {path for path in shared if path.endswith(".txt")})


def ligand_of(job: Path, stem: str) -> tuple[RankedLigand, Sequence[Row]]:
    """Return a ligand of a finished job with all its rows of `tables.EXIT_VECTORS`."""
    shards = [path.name for path in layout.shard_folders(job)] if (job / layout.SHARDS).is_dir() else []
    if not shards:
        raise NoInputsError("The job's working files, which inputs are made from, no longer exist: run it again.")
    try:
        for shard in shards:
            for _, name, read in unread_of(job, shard):
                if name == stem:
                    return read()
    except OTHER_VERSION_ERRORS as error:
        raise NoInputsError(OTHER_VERSION) from error
    raise NoInputsError(f"The job has no ligand {stem}: Results_Display.csv lists those that it has.")


def exit_at(ligand: RankedLigand, rows: Sequence[Row], anchor: str) -> RankedExit:
    """Return the ranked exit at an anchor, or at an atom that is equivalent by symmetry."""
    stem = ligand.instance.stem
    for one in ligand.exits:
        if anchor in (one.row["anchor_atom"], *str(one.row["anchor_equivalents"]).split(JOINED)):
            return one
    reasons = [str(row["reason"]) for row in rows if row["anchor_atom"] == anchor]
    if not reasons:
        raise NoInputsError(f"{anchor} of {stem} is no atom that a linker could leave from.")
    raise NoInputsError(f"{anchor} of {stem} has no rank ({reasons[0]}): {EXIT_REASONS.get(reasons[0], '')}")
