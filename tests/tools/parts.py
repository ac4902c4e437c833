"""Archives of a shard as tests make and change them, and steps as tests run them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from tethermap.base import layout
from tethermap.base.config import resolve
from tethermap.base.records import MAGIC, part, write_archive
from tethermap.base.tables import Row, Table, read_table, rows_into
from tethermap.instance.backbone import Backbone, packed_backbone
from tethermap.instance.model import Instance, Neighbourhood, Surroundings
from tethermap.instance.store import instance_of_line, json_line, packed_neighbourhood, packed_surroundings
from tethermap.molecule.record import LigandMolecule
from tethermap.molecule.store import packed_molecule
from tethermap.run.steps import RECORDS, STEP, STEPS, load
from tethermap.run.task import Task

Cleaned = tuple[Instance, Neighbourhood, Surroundings, Backbone, LigandMolecule]

GIVEN = resolve({"target_name": "Small", "search_query": "small", "source": {"kind": "archive"}})


def put(job: Path, shard: str, name: str, content: bytes) -> None:
    """Write or replace one part of a shard's archives."""
    step, _, inside = name.partition("/")
    path = job / layout.archive(shard, step)
    before = {}
    if path.is_file():
        with ZipFile(path) as archive:
            before = {other: archive.read(other) for other in archive.namelist()}
    write_archive(path, {other: BytesIO(data) for other, data in {**before, inside: content}.items()})


def put_rows(job: Path, shard: str, name: str, rows: Iterable[Row]) -> None:
    """Write or replace a part that is a table."""
    stream = StringIO()
    add = rows_into(stream, _table(name), name)
    for row in rows:
        add(row)
    put(job, shard, name, stream.getvalue().encode())


def put_records(job: Path, shard: str, name: str, records: Iterable[bytes]) -> None:
    """Write or replace a part that is a file of records."""
    put(job, shard, name, b"".join((MAGIC, *records)))


def put_ligands(job: Path, shard: str, ligands: Sequence[Cleaned]) -> None:
    """Write the parts of instances, their surroundings and molecules that later steps read."""
    put(job, shard, "clean_complexes/instances", b"".join(json_line(one) for one, *_ in ligands))
    for name, records in {
        "clean_complexes/neighbourhoods": [packed_neighbourhood(one.stem, near) for one, near, *_ in ligands],
        "clean_complexes/surroundings": [packed_surroundings(one.stem, around) for one, _, around, *_ in ligands],
        "clean_complexes/backbones": [packed_backbone(one.stem, chain) for one, _, _, chain, _ in ligands],
        "match_ligands/molecules": [packed_molecule(mol) for *_, mol in ligands],
    }.items():
        put_records(job, shard, name, records)


def put_empty(job: Path, shard: str) -> None:
    """Write all archives of a shard without entries."""
    for step in STEPS:
        for name, kind in step.kinds.items():
            if isinstance(kind, str):
                put(job, shard, f"{step.name}/{name}", MAGIC if kind == RECORDS else b"")
            else:
                put_rows(job, shard, f"{step.name}/{name}", [])


def change(job: Path, shard: str, name: str, edit: Callable[[str], str]) -> None:
    """Change the text of a part; raise if nothing changes."""
    before = part(job, shard, name).read_bytes().decode()
    after = edit(before)
    assert after != before
    put(job, shard, name, after.encode())


def rows_of_part(job: Path, shard: str, name: str) -> list[Row]:
    """Return the rows of a part that is a table."""
    return list(read_table(part(job, shard, name), _table(name)))


def _table(name: str) -> Table:
    step, _, inside = name.partition("/")
    table = STEP[step].kinds[inside]
    assert not isinstance(table, str)
    return table


def instances_of(job: Path, shard: str = "0") -> list[Instance]:
    """Return the instances of a shard."""
    with part(job, shard, "clean_complexes/instances").open("rb") as stream:
        return list(map(instance_of_line, stream))


def run_step(
    name: str,
    job: Path,
    shards: Sequence[str] = ("0",),
    given: Mapping[str, Any] = GIVEN,
    *,
    settings: Mapping[str, Any] | None = None,
    cache_mb: int = 0,
) -> Task:
    """Run a step over a job folder: of its first shard, or over all.

    Parameters
    ----------
    given : mapping
        Settings of the job.
    settings : mapping or None
        Settings of the step, in place of those that follow from the job's.
    """
    step = STEP[name]
    chosen = load(step.settings)(given) if settings is None else settings
    shard = shards[0] if step.parts else ""
    resources = {"result_cache_mb": cache_mb, "entries_per_shard": given["shards"]["entries_per_shard"]}
    task = Task(step, job, step.inputs(shards, given), chosen, shard, resources)
    task.do()
    return task
