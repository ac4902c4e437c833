"""Build the recruiters of config/recruiters.yaml as a job, and report missing ones and the exits of the others."""

import argparse
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from tethermap.base import layout
from tethermap.base.records import part
from tethermap.base.root import ROOT
from tethermap.base.tables import EXIT_VECTORS, Row, read_table
from tethermap.run.start import cores, snakemake_command

LIBRARY = ROOT / "config" / "recruiters.yaml"
TOP = 3
"""Number of best exits among which a known attachment atom counts as found."""


def job_settings(library: Mapping[str, Any], source: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration of the job that builds a library.

    Parameters
    ----------
    library : mapping
        Content of config/recruiters.yaml.
    source : mapping
        Settings of the source.
    """
    structures = _structures(library)
    return {
        "target_name": library["target_name"],
        "search_query": " ".join(ligase["uniprot"] for ligase in library["ligases"] if ligase["recruiters"]),
        "source": dict(source),
        "filters": {"entries": list(dict.fromkeys(one["entry"] for _, one in structures))},
        "protac_inputs": {"side": "e3"},
        "force": True,  # the source or the library has changed
    }


def report(library: Mapping[str, Any], job: Path) -> list[str]:
    """Return one line for each recruiter: missing, or the rank of its known attachment atoms, observed ones first."""
    rows: dict[tuple[str, str], list[Row]] = {}
    for folder in layout.shard_folders(job):
        seen = list(read_table(part(job, folder.name, "measure_sasa/observed"), EXIT_VECTORS))
        bridging = {row["stem"] for row in seen}
        exits = read_table(part(job, folder.name, "measure_sasa/exits"), EXIT_VECTORS)
        for row in (*seen, *(row for row in exits if row["stem"] not in bridging)):
            if row["rank"] is not None:
                rows.setdefault((str(row["pdb_id"]), str(row["Warhead"])), []).append(row)
    lines = [
        f"{gene:7s} {one['entry']} {one['ligand']:4s} {one['name']}: {_found(one, rows)}"
        for gene, one in _structures(library)
    ]
    return lines + [f"{one['gene']:7s} {one['note']}" for one in library["ligases"] if "note" in one]


def _structures(library: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    return [(ligase["gene"], one) for ligase in library["ligases"] for one in ligase["recruiters"]]


def _found(one: Mapping[str, Any], rows: Mapping[tuple[str, str], Sequence[Row]]) -> str:
    rows_of_recruiter = rows.get((one["entry"], one["ligand"]))
    if rows_of_recruiter is None:
        return "missing, the source does not have it"
    if not one["attachment"]:
        return f"built, exits {one['exits']}"
    ranks = [int(row["rank"] or 0) for row in rows_of_recruiter if str(row["anchor_atom"]) in one["attachment"]]
    if not ranks:
        return f"built, no exit at {', '.join(one['attachment'])}"
    return f"built, known attachment at rank {min(ranks)}{'' if min(ranks) <= TOP else ', not among the best'}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m scripts.recruiters", description=__doc__)
    parser.add_argument("job", type=Path, help="folder of the job")
    parser.add_argument("--mirror", type=Path, help="folder of structures (default: RCSB PDB)")
    parser.add_argument("--cores", type=cores, default=2, help="processes at once (%(default)s)")
    arguments = parser.parse_args()
    library = yaml.safe_load(LIBRARY.read_text(encoding="utf-8"))
    source = {"kind": "mirror", "mirror": str(arguments.mirror.resolve())} if arguments.mirror else {"kind": "auto"}
    job = arguments.job.resolve()
    run = subprocess.run(snakemake_command(job, job_settings(library, source), arguments.cores), check=False)
    if run.returncode == 0:
        sys.stdout.write("\n".join(report(library, job)) + "\n")
    sys.exit(run.returncode)
