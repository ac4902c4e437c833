"""Run all entries of a mirror as one release: partitioned Parquet tables, DuckDB views, hashes and a README.

A partition has the entries with the same two letters in the middle of their ids, like the folders of wwPDB's mirrors.
It runs again if one of its files has changed, and then computes only the changed entries; the others come from the
cache.
"""

import argparse
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import yaml

from tethermap.base import layout, tables
from tethermap.base.atomic import write_parts, write_text
from tethermap.base.column_words import dictionary
from tethermap.base.config import resolve, shown
from tethermap.base.errors import UserError
from tethermap.base.layout import walk
from tethermap.base.parquet import write_parquet
from tethermap.base.recorded_search import record_search
from tethermap.base.root import ROOT
from tethermap.base.tables import by_key, read_table
from tethermap.results.finish import file_row
from tethermap.run.cache import digest_of
from tethermap.run.logs import INTERRUPTED
from tethermap.run.software import source_digest, versions
from tethermap.run.start import cores
from tethermap.run_job import run_job
from tethermap.sources.choose import open_source
from tethermap.sources.mirror import choose_files
from tethermap.sources.own.sniff import StructureFile
from tethermap.sources.search import pinned_entries
from tethermap.sources.selection import entry_rows

TABLES = (
    tables.RESULTS_TABLE.usual,
    tables.SASA_SUMMARY,
    tables.SASA_ATOMS,
    tables.CONTACTS,
    tables.EXIT_VECTORS,
    tables.LIGAND_METADATA,
    tables.LIGAND_MCS_MAP,
    tables.ENTRY_STATUS,
    tables.LIGAND_STATUS,
    tables.NAME_MAP,
)
"""Tables whose rows are of one entry or one ligand; those over several entries need a job of these."""

OF_PARTITION = ("series", "site", "site_class", "in_core", "core_index", "Instances")
"""Columns that compare the entries of a partition; views do not have them."""

OF_FILES = tuple(name for name in tables.RESULTS_TABLE.names if name.endswith("_path") or name == "sdf_available")
"""Columns with paths of files; views have them only if the files exist."""

STATES, JOBS, DATA = ".work/partitions", "jobs", "data"
CACHE_MB = 1_000_000


def partitions(mirror: Path) -> dict[str, list[StructureFile]]:
    """Return the files of each partition of a mirror by its name, one an entry."""
    files = (file for file in choose_files(walk(mirror))[0] if file.path.exists())
    return dict(sorted(by_key((file.entry_id[-3:-1], file) for file in files).items()))


def partition_key(files: Sequence[StructureFile], settings: Mapping[str, Any]) -> str:
    """Return a digest of all that the results of a partition depend on: files, settings, versions."""
    status = [(file.entry_id, file.path.name, (stat := file.path.stat()).st_size, stat.st_mtime_ns) for file in files]
    return digest_of(source_digest(), dict(settings), status)


def run_partition(folder: Path, settings: Mapping[str, Any], name: str, entries: Sequence[str], key: str) -> None:
    """Run the job of a partition, move its Parquet files into the data set and remember that it is done."""
    begun = time.process_time()
    keeps_files = settings["outputs"] == "all"
    job = folder / (JOBS if keeps_files else f".work/{JOBS}") / name
    shutil.rmtree(job, ignore_errors=True)
    resolved = resolve({**settings["job"], "filters": {"entries": list(entries), "max_entries": len(entries)}})
    source = open_source(resolved["source"], resolved["cache_dir"], refresh=False)
    rows = list(entry_rows(source, pinned_entries(source, entries), resolved["filters"]))
    query = {"source": {"kind": source.kind, "label": source.label}, "notes": [], "date": settings["date"]}
    source.close()
    resolved = resolve({**resolved, "recorded_search": record_search(entries, query, rows)})
    last = "finish_job" if keeps_files else "build_tables"
    run_job(job, resolved, result_cache_mb=CACHE_MB, last=last, draws=keeps_files)
    if not keeps_files:
        write_parquet(job, TABLES)
    files = []
    state_file = folder / STATES / f"{name}.json"
    state_file.unlink(missing_ok=True)  # partly replaced tables are not the earlier ones
    for table in TABLES:
        path = f"{DATA}/{table.title}/middle={name}/part.parquet"
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(job / table.parquet, temporary := folder / f"{path}.new")
        temporary.replace(folder / path)
        files.append(file_row(folder, path))
    state = {
        "key": key,
        "entries": len(entries),
        "atoms": sum(int(row["size"] or 0) for row in rows),
        "instances": sum(1 for _ in read_table(job / layout.RESULTS_DISPLAY, TABLES[0], names={"stem", "pdb_id"})),
        "files": files,
    }
    if not keeps_files:
        shutil.rmtree(job)
    state["cpu_seconds"] = round(time.process_time() - begun, 2)
    write_text(state_file, json.dumps(state))


def states(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the recorded state of each finished partition."""
    return {path.stem: json.loads(path.read_bytes()) for path in sorted((folder / STATES).glob("*.json"))}


def remove_gone(folder: Path, names: set[str]) -> None:
    """Remove the partitions of which the mirror has no entry any more."""
    for name in states(folder).keys() - names:
        (folder / STATES / f"{name}.json").unlink()
    for partition in [*(folder / DATA).glob("*/middle=*"), *(folder / JOBS).glob("*")]:
        if partition.name.removeprefix("middle=") not in names:
            shutil.rmtree(partition)


def write_release(folder: Path, settings: Mapping[str, Any]) -> None:
    """Write views, columns, README and, last, the manifest of a release whose partitions are done."""
    done = states(folder)
    resolved = resolve({**settings["job"], "filters": {"entries": ["any"]}})
    counts = {name: sum(int(state[name]) for state in done.values()) for name in ("entries", "instances")}
    write_parts(folder / "columns.md", dictionary(TABLES))
    write_parts(folder / "views.sql", views(with_files=settings["outputs"] == "all"))
    write_text(folder / "README.md", readme(counts, settings))
    own_files = [file_row(folder, path) for path in ("README.md", "columns.md", "views.sql")]
    manifest = {
        "date": settings["date"],
        "versions": versions(),
        "settings": {name: value for name, value in shown(resolved).items() if name != "filters"},
        "counts": counts,
        "partitions": {name: {key: state[key] for key in ("entries", "instances")} for name, state in done.items()},
        "files": [*own_files, *(row for state in done.values() for row in state["files"])],
    }
    write_parts(folder / "manifest.json", json.JSONEncoder(indent=1, ensure_ascii=False).iterencode(manifest))


def views(*, with_files: bool) -> Iterator[str]:
    """Yield SQL that makes a view of each table, to be run by DuckDB in the release's folder."""
    for table in TABLES:
        hidden = [name for name in table.names if name in OF_PARTITION or (name in OF_FILES and not with_files)]
        columns = f"* EXCLUDE ({', '.join(hidden)})" if hidden else "*"
        once = "DISTINCT ON (Ligand, Parent_SMILES) " if table is tables.LIGAND_METADATA else ""
        source = f"read_parquet('{DATA}/{table.title}/*/part.parquet', hive_partitioning = true)"
        yield f"CREATE OR REPLACE VIEW {table.title} AS FROM {source} SELECT {once}{columns};\n"


def readme(counts: Mapping[str, int], settings: Mapping[str, Any]) -> str:
    """Return the README of a release."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    authors = ", ".join(author["name"] for author in cited["authors"])
    return f"""# Ligands of the PDB: exposure and exits for linkers

{counts["instances"]:,} ligands of {counts["entries"]:,} entries, {settings["date"]}, by Tethermap {cited["version"]}.

`data/` contains each table as Parquet, partitioned by the two letters in the middle of the entry ids. `columns.md`
describes the columns; `manifest.json` lists the SHA-256 of each file. With DuckDB, in this folder:

```sh
duckdb -init views.sql -c "FROM Exit_Vectors SELECT pdb_id, Warhead, anchor_atom, score WHERE rank = 1 LIMIT 5"
```

Sites, series and answers compare entries; to get them, run a job with those entries.

Cite: {authors}. {cited["title"]}. Version {cited["version"]}.
Structures: wwPDB, CC0 1.0; cite wwPDB consortium (2019) Nucleic Acids Res 47:D520, doi:10.1093/nar/gky949.
"""


def main(argv: Sequence[str]) -> int:
    """Run the partitions that are not done, then write the release; return 0 if all are done."""
    arguments = _arguments(argv)
    folder, mirror = arguments.folder.resolve(), arguments.mirror.resolve()
    job: dict[str, Any] = {
        "target_name": "PDB",
        "search_query": "",
        "source": {"kind": "mirror", "mirror": str(mirror)},
        "cache_dir": str(arguments.cache.resolve() if arguments.cache else folder / ".work" / "cache"),
    }
    settings = {"job": job, "outputs": arguments.outputs}
    open_source(job["source"], job["cache_dir"]).close()  # updates the index for all, refuses a mirror without files
    found = partitions(mirror)
    remove_gone(folder, set(found))
    keys = {name: partition_key(files, settings) for name, files in found.items()}
    done = states(folder)
    todo = [name for name in found if done.get(name, {}).get("key") != keys[name]]
    mine = todo[arguments.part[0] - 1 :: arguments.part[1]]
    settings["date"] = arguments.date
    run = partial(run_partition, folder, settings)
    failed = 0
    # Ctrl-C ends a process at once: one that continued could have a half-loaded module.
    initial: dict[str, Any] = {"initializer": signal.signal, "initargs": (signal.SIGINT, signal.SIG_DFL)}
    with ProcessPoolExecutor(arguments.cores, get_context("spawn"), max_tasks_per_child=50, **initial) as pool:
        waiting = {pool.submit(run, name, [file.entry_id for file in found[name]], keys[name]): name for name in mine}
        try:
            for ended in as_completed(waiting):
                error = ended.exception()
                failed += error is not None
                sys.stderr.write(f"{waiting[ended]}: {'done' if error is None else error}\n")
        finally:
            pool.shutdown(cancel_futures=True)
    left = len(todo) - len(mine) + failed
    sys.stdout.write(f"{len(found)} partitions, {len(mine) - failed} run, {left} left\n")
    if not left:
        write_release(folder, settings)
    return int(failed > 0)


def _part(text: str) -> tuple[int, int]:
    number, _, count = text.partition("/")
    if not 1 <= int(number) <= int(count):
        raise ValueError(text)
    return int(number), int(count)


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m scripts.release", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="folder of the release")
    parser.add_argument("--mirror", type=Path, required=True, help="folder of structures")
    parser.add_argument("--cache", type=Path, help="cache of entries (default: in the folder)")
    parser.add_argument("--outputs", choices=("tables", "all"), default="tables", help="all: files of ligands too")
    parser.add_argument("--part", type=_part, default=(1, 1), metavar="K/N", help="a share, on one of N machines")
    parser.add_argument("--date", default=time.strftime("%Y-%m-%d"), help="date of the release (default: today)")
    parser.add_argument("--cores", type=cores, default=min(4, os.cpu_count() or 1), help="processes (%(default)s)")
    return parser.parse_args(argv)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UserError as error:
        sys.exit(f"Tethermap: {error.message}")
    except KeyboardInterrupt:
        sys.exit(f"Tethermap: {INTERRUPTED}")
