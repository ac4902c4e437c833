"""The command `tethermap`: run a job, preview it, run a recorded one again, find faults of the installation, serve."""

import argparse
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml

from tethermap import doctor, reproduce
from tethermap.analysis import write_smiles
from tethermap.base import layout
from tethermap.base.config import load_yaml, resolve
from tethermap.base.errors import UserError
from tethermap.base.identifiers import entry_id_of
from tethermap.base.root import ROOT, __version__, cache_home, expanded, search_path
from tethermap.base.tables import Row
from tethermap.run.start import LOCAL, PROFILES, cores, cost, snakemake_command
from tethermap.run_job import build_dictionary
from tethermap.steps.own_files import (
    refuse_brackets,
    refuse_no_structure,
    refuse_unreadable_tables,
    refuse_wrong_smiles,
)

_BYTES_PER_SECOND = 2e6
"""Assumed speed of a download."""

_CORES = min(4, os.cpu_count() or 1)
_MOST_SHOWN = 20
_STATUS = """
Arguments after -- are those of Snakemake: -- --unlock, for example, after a run was killed.
Exit status: 0 if the job is complete, also if nothing was kept; 1 if it failed; 2 if the input is wrong."""
_WHAT = "PDB ids, structure files or folders, or a target's name; an existing path is read as one"
_PROFILE = "of config/profiles, slurm for example, or a folder; each has its number of processes"
_SERVICE_PACKAGES = ("duckdb", "isal", "pydantic", "python_multipart", "starlette", "uvicorn", "zipstream")


def main(arguments: Sequence[str] | None = None) -> int:
    """Execute a command line; return the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a locale may lack Å
    try:
        if words[:1] == ["reproduce"]:
            return reproduce.main(words[1:])
        if words[:1] == ["serve"]:
            return _serve(words[1:])
        chosen = _parsed(words)
        return int(chosen.does(chosen))
    except UserError as error:
        sys.stderr.write(f"Tethermap: {error.message}\n")
        return 2


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    """Return the arguments, those after ``--`` as `snakemake`."""
    end = words.index("--") if "--" in words else len(words)
    chosen, unknown = _parser().parse_known_args(words[:end])
    if unknown:
        advice = f"tethermap {words[0]} --help lists all; options of Snakemake follow --"
        raise UserError(f"The argument {unknown[0]} is unknown: {advice}.")
    chosen.snakemake = words[end + 1 :]
    return chosen


def job_settings(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the configuration of a job from words of the command line: PDB ids, files, or the name of a target.

    Raises
    ------
    UserError
        If the arguments are contradictory, or a setting is not ``name=value``.
    """
    settings: dict[str, Any] = {}
    for words in chosen.set:
        _set(settings, words)
    source = _section(settings, "source")
    paths = _paths(chosen)
    ids = [word for word in chosen.what if entry_id_of(word)]
    missing = [word for word in chosen.what if word not in paths + ids and ("/" in word or Path(word).suffix)]
    if missing:
        raise UserError(
            f"There is no file {missing[0]}: give the path of a structure, PDB ids or the name of a target."
        )
    if paths and len(paths) < len(chosen.what):
        raise UserError(f"{paths[0]} is a file and other arguments are not: give only files, or PDB ids, or a target.")
    refuse_no_structure([expanded(path) for path in paths])
    if chosen.mirror and not expanded(chosen.mirror).is_dir():
        raise UserError(f"--mirror {chosen.mirror} is no folder: give one with files of the wwPDB.")
    name = " ".join(Path(word).name or Path(word).absolute().name if paths else word for word in chosen.what)
    settings["target_name"] = chosen.target or settings.get("target_name", name)
    query = settings.get("search_query", "" if paths else name)
    settings["search_query"] = query if chosen.query is None else chosen.query
    refuse_brackets(settings["search_query"])
    if paths:
        source |= {"kind": "files", "files": [str(expanded(path).absolute()) for path in paths]}
    elif chosen.archive or chosen.mirror:
        source["kind"] = "archive" if chosen.archive else "mirror"
        source["mirror"] = str(expanded(chosen.mirror).absolute()) if chosen.mirror else None
    if ids and len(ids) == len(chosen.what):
        _section(settings, "filters").setdefault("entries", ids)
    if chosen.fasta:
        settings["fasta_seq"] = _sequence(chosen.fasta)
    return settings


def _paths(chosen: argparse.Namespace) -> list[str]:
    """Return the words that are paths of structures: none if another source is given."""
    paths = [word for word in chosen.what if word and expanded(word).exists()]
    if not (chosen.archive or chosen.mirror):
        return paths
    if named := [word for word in paths if "/" in word or expanded(word).is_file()]:
        raise UserError(f"{named[0]} is a path: give PDB ids or a target with --archive or --mirror.")
    return []  # a folder may have the name of the target


def _sequence(file: Path) -> str:
    """Return the text of a FASTA file; an empty one would accept every chain."""
    try:
        text = expanded(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"--fasta {file} can't be read: give the path of a FASTA file.") from error
    if not text.strip():
        raise UserError(f"--fasta {file} is empty: give the path of a FASTA file.")
    return text


def _set(settings: dict[str, Any], words: str) -> None:
    """Set a value by the words ``name=value``; the value is YAML."""
    name, equals, value = words.partition("=")
    if not equals or not name:
        raise UserError(f"--set {words} is no setting: give --set name=value, filters.max_entries=50 for example.")
    *sections, last = name.split(".")
    place = settings
    for section in sections:
        place = _section(place, section)
    try:
        place[last] = yaml.safe_load(value)
    except yaml.YAMLError as error:
        raise UserError(f"--set {words} has a value that is not valid YAML: put it in quotes.") from error
    except ValueError as error:  # a date that does not exist
        raise UserError(f"--set {words} has an impossible value: {error}.") from error


def _section(settings: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a section of settings, added if there is none."""
    section = settings.setdefault(name, {})
    if not isinstance(section, dict):
        raise UserError(f"{name} has no single value in --set: if it is a section, give --set {name}.NAME=VALUE.")
    return section


def _with_definitions(settings: dict[str, Any], smiles: Sequence[str], folder: Path) -> dict[str, Any]:
    """Return settings that name a table of SMILES, written into a folder, if there are any."""
    if not smiles:
        return settings
    refuse_wrong_smiles(definitions := dict(map(_pair, smiles)))  # before the job folder changes
    return {**settings, "source": {**settings["source"], "components": str(write_smiles(definitions, folder))}}


def _pair(words: str) -> tuple[str, str]:
    code, equals, value = words.partition("=")
    if not equals:
        raise UserError(f"--smiles {words} is no definition: give --smiles CODE=SMILES, LIG=CCO for example.")
    return code, value


def _run(chosen: argparse.Namespace) -> int:
    """Replace this process by Snakemake, which shows progress and can be stopped with Ctrl-C."""
    name = re.sub(r"[^a-z0-9]+", "-", " ".join(Path(word).name for word in chosen.what).lower()).strip("-")[:40]
    job = expanded(chosen.folder or f"tethermap-{name or 'job'}").absolute()
    profiles = sorted(path.name for path in PROFILES.iterdir() if path.is_dir())
    profile = chosen.profile if chosen.profile in profiles else str(expanded(chosen.profile).absolute())
    if not (PROFILES / profile).is_dir():
        names = ", ".join(profiles)
        raise UserError(f"There is no profile {chosen.profile}: give {names}, or the path of a profile's folder.")
    _refuse_missing_plugin(PROFILES / profile / "config.yaml")
    try:
        settings = _with_definitions(job_settings(chosen), chosen.smiles, job / layout.WORK)
        refuse_unreadable_tables(resolve(settings))
        number = chosen.cores or (_CORES if profile == LOCAL else None)
        command = snakemake_command(job, settings, number, profile)
    except OSError as error:
        raise UserError(f"The job folder {job} can't be written ({error.strerror}): give another --folder.") from error
    build_dictionary()
    sources = cache_home() / "snakemake/snakemake/source-cache"
    try:
        sources.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = f"Snakemake's cache {sources} can't be written ({error.strerror})"
        raise UserError(f"{reason}: export XDG_CACHE_HOME=/a/folder/of/yours.") from error
    os.execv(sys.executable, [*command, *chosen.snakemake])  # noqa: S606


def _refuse_missing_plugin(profile: Path) -> None:
    """Raise UserError if Snakemake lacks the plugin for the executor of a profile."""
    executor = (load_yaml(profile) or {}).get("executor", "local") if profile.is_file() else "local"
    plugin = f"snakemake-executor-plugin-{executor}"
    if executor != "local" and find_spec(plugin.replace("-", "_")) is None:
        raise UserError(f"The profile {profile.parent.name} needs a plugin of Snakemake: pip install {plugin}.")


def _preview(chosen: argparse.Namespace) -> int:
    """Run only the search, and print the entries that a job would use."""
    with tempfile.TemporaryDirectory(prefix="tethermap-preview-") as folder:
        settings = resolve(_with_definitions(job_settings(chosen), chosen.smiles, Path(folder)))
        configuration = Path(folder) / "job.json"
        configuration.write_text(json.dumps(settings), encoding="utf-8")
        command = [sys.executable, "-m", "scripts.scout", str(configuration)]
        scout = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    found = json.loads(scout.stdout or "{}")
    if scout.returncode:
        raise UserError(found["error"]["message"] if found else scout.stderr)
    lines = preview_lines(found["entries"], settings, chosen.cores or _CORES)
    sys.stdout.write("\n".join([*lines, *found["notes"]]) + "\n")
    return 0


def preview_lines(rows: Sequence[Row], settings: Mapping[str, Any], cores: int) -> list[str]:
    """Return the lines of a preview: the cost, then the entries."""
    expected = cost([None if row["size"] is None else int(row["size"]) for row in rows])
    remote = settings["source"]["kind"] == "rcsb"
    seconds = expected.cpu_seconds / cores + (expected.bytes / _BYTES_PER_SECOND if remote else 0)
    megabytes = f"{max(0.1, expected.bytes / 1e6):.1f} MB to {'download' if remote else 'read'}"
    entries = f"{len(rows)} {'entry' if len(rows) == 1 else 'entries'}"
    if not rows:
        return ["No entries were found: a job would have no results."]
    lines = [f"{entries}, about {megabytes}, about {max(1, round(seconds / 60))} min on {cores} core{'s'[: cores > 1]}"]
    for row in rows[:_MOST_SHOWN]:
        resolution = "" if row["resolution"] is None else f"{float(row['resolution']):.2f} Å"
        lines.append(f"{row['pdb_id']!s:8} {resolution:7} {str(row['ligands']).replace('; ', ' '):12} {row['title']}")
    if len(rows) > _MOST_SHOWN:
        lines.append(f"... and {len(rows) - _MOST_SHOWN} more")
    return lines


def _serve(arguments: Sequence[str]) -> int:
    """Replace this process by the service or one of its operator's commands."""
    lacking = [name for name in _SERVICE_PACKAGES if find_spec(name) is None]
    if lacking:
        raise UserError(f"The service needs further packages ({', '.join(lacking)}): pip install 'tethermap[service]'.")
    if not arguments:  # help and the operator's commands need none
        build_dictionary()
    environment = os.environ | {"PYTHONPATH": search_path()}
    os.execve(sys.executable, [sys.executable, "-m", "service", *arguments], environment)  # noqa: S606


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tethermap", description="Where a linker can leave the ligand of a protein.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    job = argparse.ArgumentParser(add_help=False)
    job.add_argument("what", nargs="+", metavar="WHAT", help=_WHAT)
    job.add_argument("--query", help="words, PDB ids, UniProt accessions to search for (default: WHAT, none for files)")
    job.add_argument("--target", help="name of the target protein (default: WHAT)")
    job.add_argument("--fasta", type=Path, metavar="FILE", help="sequence of the target")
    job.add_argument("--smiles", action="append", default=[], metavar="CODE=SMILES", help="definition of a ligand")
    source = job.add_mutually_exclusive_group()
    source.add_argument("--mirror", type=Path, metavar="FOLDER", help="folder of wwPDB files to use, not RCSB PDB")
    source.add_argument("--archive", action="store_true", help="use the five embedded entries")
    job.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="any setting (config/README.md)")
    job.add_argument("--cores", type=cores, help=f"processes at once (default: {_CORES})")
    run = commands.add_parser("run", parents=[job], help="run a job; arguments of Snakemake after --", epilog=_STATUS)
    run.formatter_class = argparse.RawDescriptionHelpFormatter
    run.add_argument("--folder", type=Path, help="the job folder (default: tethermap-WHAT)")
    run.add_argument("--profile", default=LOCAL, help=_PROFILE)
    run.set_defaults(does=_run)
    preview = commands.add_parser("preview", parents=[job], help="show entries, megabytes and minutes of a job")
    preview.set_defaults(does=_preview)
    commands.add_parser("reproduce", help="run a finished job again and compare", add_help=False)
    check = commands.add_parser("doctor", help="check network, cache, disk, cluster and installation")
    check.set_defaults(does=lambda _: doctor.main())
    commands.add_parser("serve", help="run the service, or a command of its operator", add_help=False)
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
