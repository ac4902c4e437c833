"""All steps of a job, each declared once: rules, scripts, cache keys, progress and the Python interface follow from it.

A step of a shard writes one archive of parts (`tethermap.base.records`), one of the whole job writes files of the job
folder. Functions are named as entry points, ``module:function``: the declarations import none of the code.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from tethermap.base import layout, tables
from tethermap.base.tables import Table

LINES, RECORDS = "lines", "records"
"""Kinds of parts that are not tables: lines of JSON, and records (`tethermap.base.records`), one per instance."""

Settings = Mapping[str, Any]
"""Settings of a job from `tethermap.base.config.resolve`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a job.

    Parameters
    ----------
    name : str
        Name of its rule and its script.
    words : str
        Description of the step for users.
    make : str
        Entry point of its function, which is called with a `tethermap.run.task.Task`.
    settings_from : str
        Entry point of the function that picks the step's settings from a job's; by default the one of the step's name
        in `tethermap.steps.parameters`. The step runs again if they change.
    loads : str
        Module with most of the imports of `make`, which loads it only if there is something to compute.
    reads : tuple of str
        Parts that it reads, as ``step/part``; ``*/part`` are those of all earlier steps that have one.
    files : tuple of str
        Files of the job folder that it reads.
    ahead : tuple of str
        Files that do not trigger a rerun if they change.
    parts : mapping of str to Table or str
        Parts that a step of a shard writes, with their table or kind. A part of `errors` is added.
    writes : tuple of str
        Files of the job folder that a step of the whole job writes.
    switch : tuple of str
        Path of the setting that switches the step on; always on if empty.
    given : tuple of str
        Settings of `source` that name files of the user that it reads in place.
    watched : tuple of str
        Settings of `source` with files of the user that may be missing later: the step runs again only if they change.
    """

    name: str
    words: str
    make: str
    settings_from: str = ""
    loads: str = ""
    reads: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    ahead: tuple[str, ...] = ()
    parts: Mapping[str, Table | str] = field(default_factory=dict)
    writes: tuple[str, ...] = ()
    switch: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    watched: tuple[str, ...] = ()

    @property
    def settings(self) -> str:
        """Entry point of the function that picks its settings."""
        return self.settings_from or f"tethermap.steps.parameters:{self.name}"

    def user_files(self, settings: Settings, *, watched: bool = False) -> list[str]:
        """Return the user's files that the step reads in place, or those that it watches."""
        values = [settings["source"][name] or [] for name in (self.watched if watched else self.given)]
        return [path for value in values for path in ([value] if isinstance(value, str) else value)]

    def runs(self, given: Settings) -> bool:
        """Return whether the step is a part of a job."""
        value: Any = given
        for key in self.switch:
            value = value[key]
        return bool(value)

    def inputs(self, shards: Sequence[str], settings: Settings) -> list[str]:
        """Return the files that the step reads, relative to the job folder, of one shard or of all."""
        sources = dict.fromkeys(
            source for source, _ in self.sources(step.name for step in STEPS if step.runs(settings))
        )
        archives = [layout.archive(shard, source) for shard in shards for source in sources]
        return [*(path.format(shard=shards[0]) if self.parts else path for path in self.files), *archives]

    def outputs(self, shard: str) -> list[str]:
        """Return the files that the step writes, relative to the job folder."""
        return [layout.archive(shard, self.name)] if self.parts else list(self.writes)

    def sources(self, available: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield step and part of all its inputs, among the steps that run."""
        names = set(available)
        for read in self.reads:
            source, _, part = read.partition("/")
            for step in STEPS[: STEPS.index(self)]:
                if step.parts and step.name in names and source in (step.name, "*") and part in step.kinds:
                    yield step.name, part

    @property
    def kinds(self) -> dict[str, Table | str]:
        """The parts of its archive, with their table or kind."""
        return {**self.parts, "errors": tables.ERRORS} if self.parts else {}


def load(entry_point: str) -> Callable[..., Any]:
    """Return the function that an entry point names."""
    module, _, name = entry_point.partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function


def _parts(step: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{step}/{name}" for name in names)


STEPS = (
    Step(
        name="search_entries",
        words="searching",
        make="tethermap.steps.search_entries:make",
        writes=(layout.SHARD_PLAN, layout.SEARCH_ENTRIES, layout.SEARCH_QUERY),
        watched=("files", "components"),
    ),
    Step(
        name="download_entries",
        words="fetching structures",
        make="tethermap.steps.download_entries:make",
        files=(layout.shard_entries("{shard}"),),
        ahead=(layout.SEARCH_ENTRIES,),
        parts={"structures": tables.STRUCTURES},
        watched=("files", "components"),
    ),
    Step(
        name="clean_complexes",
        words="cleaning complexes",
        make="tethermap.steps.clean_complexes:make",
        loads="tethermap.steps.cleaning",
        reads=("download_entries/structures",),
        parts={
            "instances": LINES,
            "neighbourhoods": RECORDS,
            "surroundings": RECORDS,
            "backbones": RECORDS,
            "entry_status": tables.ENTRY_STATUS,
            "ligand_status": tables.LIGAND_STATUS,
            "name_map": tables.NAME_MAP,
            "files": tables.FILES,
        },
    ),
    Step(
        name="match_ligands",
        words="building ligands",
        make="tethermap.steps.ligands:match",
        loads="tethermap.steps.molecules",
        reads=("clean_complexes/instances",),
        parts={"molecules": RECORDS},
    ),
    Step(
        name="measure_sasa",
        words="measuring exposure and exits",
        make="tethermap.steps.ligands:measure",
        loads="tethermap.steps.measuring",
        reads=(
            *_parts("clean_complexes", "instances", "neighbourhoods", "surroundings", "backbones"),
            "match_ligands/molecules",
        ),
        parts={
            "sasa_summary": tables.SASA_SUMMARY,
            "sasa_atoms": tables.SASA_ATOMS,
            "contacts": tables.CONTACTS,
            "exits": tables.EXIT_VECTORS,
            "observed": tables.EXIT_VECTORS,
            "exit_sites": tables.EXIT_SITES,
            "geometry": tables.GEOMETRIES,
            "bridging": LINES,
            "files": tables.FILES,
        },
    ),
    Step(
        name="write_protac_inputs",
        words="writing inputs for degrader modelling",
        make="tethermap.extras.protac.step:make",
        settings_from="tethermap.extras.protac.step:settings",
        loads="tethermap.extras.protac.inputs",
        reads=("clean_complexes/instances", "match_ligands/molecules", *_parts("measure_sasa", "exits", "observed")),
        parts={"protac_inputs": tables.PROTAC_INPUTS, "files": tables.FILES},
        switch=("protac_inputs", "exits"),
    ),
    Step(
        name="check_results",
        words="checking results",
        make="tethermap.steps.check_results:make",
        loads="tethermap.steps.checks",
        reads=(
            *_parts("clean_complexes", "instances", "entry_status", "ligand_status"),
            *_parts("measure_sasa", "sasa_summary", "sasa_atoms"),
            *_parts("*", "files", "errors"),
        ),
        parts={"checks": tables.CHECKS, "files": tables.FILES},
    ),
    Step(
        name="find_series",
        words="finding series",
        make="tethermap.steps.whole:find_series",
        loads="tethermap.series.write",
        reads=("match_ligands/molecules",),
        writes=(layout.SERIES_PLAN, layout.SERIES_ERRORS),
    ),
    Step(
        name="find_cores",
        words="finding cores, describing ligands",
        make="tethermap.steps.find_cores:make",
        loads="tethermap.series.cores",
        files=(layout.SERIES_PLAN,),
        parts={"series": tables.SERIES, "members": LINES, "ligands": tables.LIGAND_METADATA, "files": tables.FILES},
    ),
    Step(
        name="build_tables",
        words="writing tables",
        make="tethermap.steps.whole:build_tables",
        loads="tethermap.results.write",
        reads=(
            *_parts("clean_complexes", "instances", "backbones", "entry_status", "ligand_status", "name_map"),
            "match_ligands/molecules",
            *_parts("measure_sasa", "sasa_summary", "sasa_atoms", "contacts"),
            *_parts("measure_sasa", "exits", "exit_sites", "geometry", "bridging"),
            "write_protac_inputs/protac_inputs",
            "check_results/checks",
            *_parts("find_cores", "series", "members", "ligands"),
            *_parts("*", "files", "errors"),
        ),
        files=(layout.SEARCH_ENTRIES, layout.SEARCH_QUERY, layout.SERIES_ERRORS),
        given=("affinity", "degraders"),
        writes=(*(table.path for table in tables.RESULT_TABLES), layout.LIGANDS_SDF, layout.TABLES_ERRORS),
    ),
    # Also writes the job's log and the link Results_Display.csv, whose time is that of its target.
    Step(
        name="finish_job",
        words="writing report and manifest",
        make="tethermap.steps.whole:finish_job",
        loads="tethermap.report.write",
        reads=("check_results/checks", "check_results/files", "find_cores/files", "*/errors"),
        files=(
            *(layout.SEARCH_QUERY, layout.SERIES_ERRORS, layout.LIGANDS_SDF, layout.TABLES_ERRORS),
            *(table.path for table in tables.RESULT_TABLES),
        ),
        writes=(
            *(layout.MANIFEST, layout.REPORT, layout.DATA_DICTIONARY),
            *(table.parquet for table in tables.RESULT_TABLES),
        ),
    ),
)
"""In the order of a run."""

STEP = {step.name: step for step in STEPS}
"""By name."""
