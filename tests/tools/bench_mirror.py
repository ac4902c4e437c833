"""Measure the index of a mirror of 250,000 entries: ``make bench-mirror``; needs TETHERMAP_TEST_MIRROR.

The metadata are those of the real entries of the test mirror, repeated under distinct ids: the reading of files is
measured on the real ones, the index on all.
"""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

from tests.tools.figures import Figure, Section, large_mirror, measure_section
from tests.tools.mirrors import link_mirror, structures
from tests.tools.slopes import peak_mb, spent
from tethermap.sources import text_index
from tethermap.sources.index_rows import IndexRow, read_row
from tethermap.sources.mirror import MirrorSource
from tethermap.sources.own.sniff import StructureFile
from tethermap.sources.query import parse_query

ENTRIES = 250_000
GOAL_MS = 200.0
QUERIES = (
    "EGFR", "HIV protease", "SARS-CoV-2 main protease", "kinase", "BRD4 bromodomain", "trypsin benzamidine",
    '"crystal structure"', "P00533", "human", "carbonic anhydrase II inhibitor sulfonamide", "1hpv",
    "no such protein at all",
)  # fmt: skip
REPEATS, CHANGED = 5, 100


def multiplied(rows: Sequence[IndexRow], ids: Sequence[str]) -> Iterator[IndexRow]:
    """Yield the rows again and again under other ids."""
    for number, entry_id in enumerate(ids):
        row = rows[number % len(rows)]
        texts = (row.texts[0].replace(row.summary.entry_id, entry_id), *row.texts[1:])
        yield replace(row, summary=replace(row.summary, entry_id=entry_id), texts=texts)


def searched(source: MirrorSource, query: str) -> tuple[int, float]:
    """Return how many entries a query finds, and the median CPU time of its search in milliseconds.

    When no entry has all its words the search for any of them follows, as in a job.
    """
    parsed = parse_query(query)
    terms, accessions = parsed.words(parsed.accessions), list(parsed.accessions)
    found: list[object] = []

    def search() -> None:
        hits = source.text_search(terms, accessions, any_term=False)
        found[:] = hits or source.text_search(terms, accessions, any_term=True)

    times = [spent(search) for _ in range(REPEATS)]
    return len(found), 1000 * statistics.median(times)


def measure(folder: Path) -> Section:
    """Build the index of a large mirror, query it, and bring it up to date."""
    mirror = large_mirror()
    real = structures(mirror)
    rows: list[IndexRow] = []
    reading = spent(lambda: rows.extend(map(read_row, real)))
    large = folder / "mirror"
    link_mirror(large, mirror, ENTRIES)
    source = MirrorSource(large, folder / "cache")

    def rows_of(files: Sequence[StructureFile]) -> Iterator[IndexRow]:
        return multiplied(rows, [file.entry_id for file in files])

    with patch.object(text_index, "read_rows", rows_of):  # reading is measured above, on the real files
        building = spent(source.open)
        memory = peak_mb()
        unchanged = spent(source.open)
        changed_files = sorted(large.glob("0a/*"))[:CHANGED]
        for path in changed_files:
            content = path.read_bytes()
            path.unlink()
            path.write_bytes(content)
        changed = spent(source.open)
    found = [searched(source, query) for query in QUERIES]
    source.close()
    size = sum(path.stat().st_size for path in (folder / "cache").rglob("*.sqlite")) / 1e6
    times = [milliseconds for _, milliseconds in found]
    narrow = [milliseconds for hits, milliseconds in found if hits <= ENTRIES / 10]
    figures = [
        Figure("text query, median", statistics.median(times), "ms", "cpu", at_most=GOAL_MS),
        Figure("slowest text query with hits in at most 10 % of entries", max(narrow), "ms", "cpu", at_most=GOAL_MS),
        Figure("text query, longest", max(times), "ms", "cpu", at_most=GOAL_MS),
        Figure("entries in the index", ENTRIES),
        Figure("reading a file's header", 1000 * reading / len(real), "ms", "cpu"),
        Figure(f"building the index of {ENTRIES:,} apart from reading files", building, "s", "cpu"),
        Figure("memory of the build", memory, "MB", "memory"),
        Figure("check for changes, without changes", unchanged, "s", "cpu"),
        Figure(f"bringing it up to date after {len(changed_files)} changes", changed, "s", "cpu"),
        Figure("size of the index", size, "MB"),
    ]
    note = (
        "The real metadata of the entries of the test mirror multiplied under distinct ids (links in the divided"
        " layout), so each word is as frequent as there, many times more than in the PDB. Reading is measured on the"
        " real files; a first build reads them with one process per core and resumes after an interruption. "
        "Queries are timed from words to all hits in order."
    )
    return figures, (), [note]


if __name__ == "__main__":
    measure_section("mirror", "make bench-mirror", measure)
