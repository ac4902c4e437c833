"""The steps over the ligands of a shard: their molecules; their exposure and exits."""

from collections.abc import Callable
from functools import partial

from tethermap.base.records import EntryParts
from tethermap.components.finder import job_components
from tethermap.run.shard_step import ShardStep, over_entries
from tethermap.run.task import Task


def match(task: Task) -> None:
    """Write the molecules of a shard."""
    components = job_components(task.settings)

    def matcher(step: ShardStep) -> Callable[[EntryParts], None]:
        from tethermap.steps.molecules import match_entry  # RDKit, needed for new entries only

        return partial(match_entry, step, components.index, components.user)

    over_entries(task, None, components, matcher)


def measure(task: Task) -> None:
    """Write the exposure and the exits of a shard's ligands, and their files."""
    target_name, sasa = task.settings["target_name"], task.settings["sasa"]
    components = job_components(task.settings)

    def measurer(step: ShardStep) -> Callable[[EntryParts], None]:
        from tethermap.exposure.radii import PolymerRadii
        from tethermap.exposure.sasa import Sasa
        from tethermap.steps.measuring import LigandMeasurer  # RDKit, needed for new entries only

        return LigandMeasurer(target_name, components, PolymerRadii(components), Sasa(**sasa), step).measure

    over_entries(task, [target_name, sasa["probe_radius"], sasa["slices"], sasa["engine"]], components, measurer)
