"""Paths of all files in a job folder, whose names no other module spells; the files of other folders."""

import os
from collections.abc import Iterator
from pathlib import Path

RESULTS = "TARGET_RESULTS"
WORK = ".work"

WAR_PDB = f"{RESULTS}/WAR_PDB"
MCS_OUTPUT = f"{RESULTS}/MCS_Output"
MCS_SDF = f"{MCS_OUTPUT}/MCS_SDF"
MCS_SVG = f"{MCS_OUTPUT}/MCS_SVG"
SERIES_FOLDER = f"{MCS_OUTPUT}/Series"
SHARED_FOLDERS = (WAR_PDB, MCS_SDF, MCS_SVG, SERIES_FOLDER)
"""Folders into which several steps write; the search makes them."""

PROTAC_FOLDER = f"{RESULTS}/PROTAC_Inputs"

RESULTS_DISPLAY = f"{RESULTS}/Results_Display.csv"
RESULTS_DISPLAY_LINK = "Results_Display.csv"
SASA_SUMMARY = f"{RESULTS}/Resolved_SASA_Summary.csv"
SASA_ATOMS = f"{RESULTS}/Warhead_SASA_atoms.csv"
LIGAND_METADATA = f"{RESULTS}/Ligand_Metadata.csv"
CONTACTS = f"{RESULTS}/Contacts.csv"
EXIT_VECTORS = f"{RESULTS}/Exit_Vectors.csv"
OBSERVED_EXITS = f"{RESULTS}/Observed_Exits.csv"
EXIT_ANSWERS = f"{RESULTS}/Exit_Answers.csv"
EXIT_CONSENSUS = f"{RESULTS}/Exit_Consensus.csv"
SUPERPOSITION = f"{RESULTS}/Superposition.csv"
POSES = f"{RESULTS}/Poses.csv"
AFFINITY = f"{RESULTS}/Affinity.csv"
PUBLISHED = f"{RESULTS}/Published_Degraders.csv"
PROTAC_INPUTS = f"{PROTAC_FOLDER}/index.csv"
ENTRY_STATUS = f"{RESULTS}/Entry_Status.csv"
LIGAND_STATUS = f"{RESULTS}/Ligand_Status.csv"
NAME_MAP = f"{RESULTS}/Name_Map.csv"
LIGAND_MCS_MAP = f"{MCS_OUTPUT}/Ligand_MCS_Map.csv"
SERIES_TABLE = f"{MCS_OUTPUT}/Series.csv"
TABLES = f"{RESULTS}/tables"
DATA_DICTIONARY = f"{TABLES}/README.md"
LIGANDS_SDF = f"{RESULTS}/ligands.sdf"
REPORT = f"{RESULTS}/report.html"
REPORT_PAGES = f"{RESULTS}/report"
"""Folder of further pages of the report, if there are many ligands."""

MANIFEST = "job_result_manifest.json"
JOB_CONFIG = "job_config.json"
CRATE = "ro-crate-metadata.json"
WORKFLOW = f"{RESULTS}/workflow.txt"
"""The Snakefile that the run was of, which its crate names."""

ROOT_FILES = (RESULTS_DISPLAY_LINK, MANIFEST, JOB_CONFIG, CRATE)
"""Result files in the job folder itself."""

SEARCH_ENTRIES = "search/entries.csv"
SEARCH_QUERY = "search/query.json"

JOB_LOG = "logs/job.log"

JOB_FOLDERS = (RESULTS, "search", "logs")
"""Folders of results and of records in the job folder."""

SHARDS = f"{WORK}/shards"
SHARD_PLAN = f"{WORK}/shards.json"
"""Sizes of all shards, ``{"0": 50, "1": 49}``; `search_entries` writes it last, so that all shards exist by then."""
SERIES_PLAN = f"{WORK}/series.zip"
"""The series of a job without their cores: the part of each shard has those whose cores it finds."""
SERIES_ERRORS = f"{WORK}/series_errors.csv"
TABLES_ERRORS = f"{WORK}/tables_errors.csv"
"""Ligands and entries on which `find_series` and `build_tables` have failed."""
PROBLEMS = f"{WORK}/problems.json"
"""Sentences on the problems of a finished job."""
PROGRESS = f"{WORK}/progress"
EVENTS = f"{WORK}/events.jsonl"
SETTINGS = f"{WORK}/settings.json"
"""The configuration of the last run, with the paths that job_config.json omits."""
FILE_STATES = f"{WORK}/files.json"
"""States of the user's files in the last run by their paths (`tethermap.run.settings.file_states`)."""
ERROR = f"{WORK}/error.json"
"""Reason of a failed run: ``message``, ``step``, ``kind``."""
RULE_LOGS = f"{WORK}/logs"
BENCHMARKS = f"{WORK}/benchmarks"
PICTURES = f"{WORK}/pictures"
"""A link to each ligand's depiction of exits, for ``snakemake --report``."""

ON_DEMAND = ("clean_complexes", "match_ligands", "measure_sasa")
"""Steps whose archives inputs, degraders and partners of a finished job are made from on demand."""


def archive(shard: str, step: str) -> str:
    """Return the path of the archive that a step writes of one shard, relative to the job folder.

    Parameters
    ----------
    shard : str
        Number of the shard, from ``0``; ``{shard}`` gives a rule's pattern.
    """
    return f"{SHARDS}/{shard}/{step}.zip"


def shard_entries(shard: str) -> str:
    """Return the path of the table of a shard's entries, relative to the job folder."""
    return f"{SHARDS}/{shard}/entries.csv"


def war_pdb(stem: str, extension: str = "pdb") -> str:
    """Return the path of a cleaned complex, relative to the job folder."""
    return f"{WAR_PDB}/{stem}.{extension}"


def ligand_sdf(stem: str) -> str:
    """Return the path of a ligand's SDF, relative to the job folder."""
    return f"{MCS_SDF}/{stem}.sdf"


SVG_STYLES = ("plain", "exposed", "exits")
"""Depictions of a ligand."""


def ligand_svg(stem: str, style: str) -> str:
    """Return the path of a depiction; `style` is ``plain``, ``exposed`` or ``exits``.

    >>> ligand_svg("4cup_A_ZYB_2971", "exits")
    'TARGET_RESULTS/MCS_Output/MCS_SVG/4cup_A_ZYB_2971_exits.svg'
    """
    return f"{MCS_SVG}/{stem}_{style}.svg"


def protac_inputs(stem: str) -> str:
    """Return the folder of a ligand's inputs for programs that model degraders."""
    return f"{PROTAC_FOLDER}/{stem}"


def protac_stem(path: str) -> str:
    """Return the stem of the ligand whose inputs for programs that model degraders a file belongs to; else nothing."""
    inside = path.removeprefix(f"{PROTAC_FOLDER}/")
    return inside.partition("/")[0] if inside != path else ""


def report_page(number: int) -> str:
    """Return the path of a further page of the report, relative to the job folder; the report itself is the first."""
    return f"{REPORT_PAGES}/ligands_{number}.html"


def ligand_files(stem: str) -> list[str]:
    """Return the paths of the possible files of a ligand: complex, SDF, depictions."""
    depictions = [ligand_svg(stem, style) for style in SVG_STYLES]
    return [war_pdb(stem, "pdb"), war_pdb(stem, "cif"), ligand_sdf(stem), *depictions]


def stem_of_file(path: str) -> str:
    """Return the stem of the ligand that a result file belongs to; the name itself for other files.

    >>> stem_of_file(ligand_svg("4cup_A_ZYB_2971", "exits"))
    '4cup_A_ZYB_2971'
    """
    name = path.rpartition("/")[2].rpartition(".")[0]
    return protac_stem(path) or (name.rpartition("_")[0] if path.startswith(f"{MCS_SVG}/") else name)


def shard_folders(job: Path) -> list[Path]:
    """Return the folders of all shards of a job in numerical order."""
    folders = [path for path in (job / SHARDS).iterdir() if path.name.isdigit()]
    return sorted(folders, key=lambda path: int(path.name))


def walk(folder: Path) -> Iterator[str]:
    """Yield the paths of all files below a folder in a fixed order, without those in folders of jobs and hidden ones.

    Links to folders are followed, each folder once. Results and records of a job in its own folder are left out.
    """
    written = {*JOB_FOLDERS, *ROOT_FILES} if (folder / SETTINGS).exists() else set()
    seen: set[tuple[int, int]] = set()
    for place, folders, names in os.walk(folder, followlinks=True):
        state = Path(place).stat()
        if (state.st_dev, state.st_ino) in seen:
            folders.clear()
            continue
        seen.add((state.st_dev, state.st_ino))
        own = written if Path(place) == folder else set()
        folders[:] = sorted(f for f in {*folders} - own if f[0] != "." and not Path(place, f, SETTINGS).exists())
        for name in sorted({*names} - own):
            if not name.startswith("."):
                yield os.path.join(place, name)  # noqa: PTH118 - a Path takes three times as long
