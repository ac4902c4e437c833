"""One run of a step, in a script of the workflow or in this process."""

from __future__ import annotations

import atexit
import gc
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tethermap.base.config import cache_folder
from tethermap.base.records import EntryParts, Source, entry_parts, part
from tethermap.run.cache import Definitions, ResultCache
from tethermap.run.logs import logged_to
from tethermap.run.software import source_digest
from tethermap.run.steps import LINES, RECORDS, STEP, Step, load

if TYPE_CHECKING:
    from snakemake.iocontainers import Snakemake


@dataclass(frozen=True)
class Task:
    """A step with all its inputs.

    Parameters
    ----------
    step : Step
        The step.
    job : Path
        The job folder.
    inputs : sequence of str
        Input files, from `Step.inputs`.
    settings : mapping
        The step's settings.
    shard : str
        Number of its shard; empty for a step of the whole job.
    resources : mapping
        Values that do not affect tables: `result_cache_mb`, `draws`, and for the search `entries_per_shard` and
        `processes`.
    """

    step: Step
    job: Path
    inputs: Sequence[str]
    settings: Mapping[str, Any]
    shard: str = ""
    resources: Mapping[str, Any] = field(default_factory=dict)

    def do(self) -> None:
        """Do the step."""
        load(self.step.make)(self)

    @property
    def draws(self) -> bool:
        """Whether to write depictions and viewer scripts; only releases of tables leave them out."""
        return bool(self.resources.get("draws", True))

    @cached_property
    def shards(self) -> list[str]:
        """Numbers of the shards that it reads."""
        return sorted({path.parent.name for path in self._archives}, key=int)

    @property
    def _archives(self) -> list[Path]:
        paths = map(Path, self.inputs)
        return [path for path in paths if path.suffix == ".zip" and path.stem in STEP]  # not a user's file

    @cached_property
    def reads(self) -> list[str]:
        """Parts that it reads of the steps of this job."""
        names = {path.stem for path in self._archives}
        return ["/".join(source) for source in self.step.sources(names)]

    def part(self, name: str, shard: str = "") -> Source:
        """Return a part that it reads, of its shard or another."""
        return part(self.job, shard or self.shard, name)

    def parts(self, name: str) -> Iterator[Source]:
        """Yield a part of each shard; ``*/errors`` of each step that has one."""
        source, _, inside = name.rpartition("/")
        wanted = [read for read in self.reads if read == name or (source == "*" and read.endswith(f"/{inside}"))]
        return (self.part(read, shard) for shard in self.shards for read in wanted)

    def sources(self) -> Iterator[Source]:
        """Yield all that it reads."""
        yield from (self.job / path for path in self.step.files)
        yield from (self.part(read, shard) for shard in self.shards for read in self.reads)

    def outputs(self) -> list[Path]:
        """Return the files that it writes."""
        return [self.job / path for path in self.step.outputs(self.shard)]

    def entries(self) -> Iterator[EntryParts]:
        """Yield the parts with data of each instance, entry by entry."""
        kinds = {read: STEP[read.partition("/")[0]].kinds[read.partition("/")[2]] for read in self.reads}
        found: dict[str, dict[str, Source]] = {LINES: {}, RECORDS: {}, "rows": {}}
        for read, kind in kinds.items():
            if isinstance(kind, str) or kind.names[-1] == "stem":
                found[kind if isinstance(kind, str) else "rows"][read.partition("/")[2]] = self.part(read)
        return entry_parts(found[LINES]["instances"], found[RECORDS], found["rows"])

    def cache(self, about: Any = None, components: Definitions | None = None) -> ResultCache | None:
        """Return the cache of the step's results; None if the job has none.

        Parameters
        ----------
        about : plain values
            Settings that the results of all entries depend on.
        components : Definitions or None
            Definitions of components that the step uses.
        """
        if not (megabytes := self.resources.get("result_cache_mb", 0)):
            return None
        definitions = components.identity() if components else []
        inputs = json.dumps([self.step.name, source_digest(), [about, self.draws], definitions], sort_keys=True)
        return ResultCache(cache_folder(self.settings["cache_dir"]), megabytes * 1_000_000, inputs, components)


def run(name: str, snakemake: Snakemake) -> None:
    """Run a step as a script of the workflow, in the job folder of its first output."""
    atexit.register(gc.freeze)  # the process ends: without a last collection of garbage, which costs 40 ms of CPU
    step, shard = STEP[name], getattr(snakemake.wildcards, "shard", "")
    job = Path(snakemake.output[0].removesuffix(step.outputs(shard)[0]))
    with logged_to(snakemake.log[0], job):
        resources = dict(snakemake.resources.items())
        Task(step, job, list(snakemake.input), snakemake.params.settings, shard, resources).do()
