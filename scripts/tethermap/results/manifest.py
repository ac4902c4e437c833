"""The manifest: content of a job, with hashes, counts, versions and the outcome of its checks."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tethermap.base import layout
from tethermap.base.contexts import CONTEXTS, HEADLINE_CONTEXT
from tethermap.base.root import __version__
from tethermap.base.tables import Row
from tethermap.run.software import versions
from tethermap.selfcheck.outcome import CHECKS

VARYING = (layout.JOB_CONFIG, layout.JOB_LOG, layout.SEARCH_QUERY, layout.CRATE)
"""Result files that contain times, or the division of the work: they have no hash in the manifest."""

KEY_OUTPUTS = {
    "results_display": layout.RESULTS_DISPLAY_LINK,
    "resolved_sasa_summary": layout.SASA_SUMMARY,
    "ligand_metadata": layout.LIGAND_METADATA,
    "sasa_atoms": layout.SASA_ATOMS,
    "entry_status": layout.ENTRY_STATUS,
    "ligand_status": layout.LIGAND_STATUS,
    "ligands_sdf": layout.LIGANDS_SDF,
    "report": layout.REPORT,
    "war_pdb_dir": layout.WAR_PDB,
    "mcs_output_dir": layout.MCS_OUTPUT,
}
"""Files and folders that most readers want, by name."""


@dataclass(slots=True)
class Tally:
    """Counts made while the tables are written.

    Parameters
    ----------
    entries, ligands : Counter
        Rows of the status tables by reason.
    instances : int
        Instances kept.
    components : set of str
        Component codes of the instances.
    bond_sources : Counter
        Instances by the source of their bonds.
    passed, failed : Counter
        Checks by name.
    failures : list of Row
        Checks that failed.
    """

    entries: Counter[str] = field(default_factory=Counter)
    ligands: Counter[str] = field(default_factory=Counter)
    instances: int = 0
    components: set[str] = field(default_factory=set)
    bond_sources: Counter[str] = field(default_factory=Counter)
    passed: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    failures: list[Row] = field(default_factory=list)

    def count_status(self, entries: Iterable[Row], ligands: Iterable[Row]) -> None:
        """Count the rows of Entry_Status and Ligand_Status."""
        self.entries.update(str(row["reason"]) for row in entries)
        self.ligands.update(str(row["reason"]) for row in ligands)

    def count_results(self, results: Iterable[Row]) -> None:
        """Count the rows of Results_Display."""
        for row in results:
            self.instances += 1
            self.components.add(str(row["Warhead"]))
            self.bond_sources[str(row["bond_source"])] += 1

    def count_checks(self, checks: Iterable[Row]) -> None:
        """Count the rows of the shards' checks."""
        for row in checks:
            (self.passed if row["passed"] is True else self.failed)[str(row["check"])] += 1
            if row["passed"] is not True:
                self.failures.append(row)

    @property
    def in_order(self) -> list[Row]:
        """Failed checks by instance."""
        return sorted(self.failures, key=lambda row: (str(row["stem"]), str(row["check"])))


def manifest_parts(settings: Mapping[str, Any], tally: Tally, series: int, files: Sequence[Row]) -> Iterator[str]:
    """Yield the manifest as JSON, a part at a time.

    Parameters
    ----------
    settings : mapping
        Settings of the job from `tethermap.base.config.shown`.
    tally : Tally
        Counts of the job.
    series : int
        Number of series.
    files : sequence of Row
        Rows of `tables.FILES`, all result files except varying ones.

    Yields
    ------
    str
        Two identical runs give the same text, for any number of shards and cores.
    """
    names = [*CHECKS, *sorted(tally.failed.keys() - CHECKS.keys())]
    checks = {
        name: {"says": CHECKS.get(name, ""), "passed": tally.passed[name], "failed": tally.failed[name]}
        for name in names
    }
    extensions = Counter(str(row["path"]).rpartition(".")[2] for row in files)
    sources, n_sources = tally.bond_sources, tally.bond_sources.total()
    canonical = json.dumps(settings, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    manifest = {
        "pipeline": {"name": "tethermap", "version": __version__},
        "target_name": settings["target_name"],
        "search_query": settings["search_query"],
        "has_results": tally.instances > 0,
        "key_outputs": KEY_OUTPUTS,
        "counts": {
            "entries_found": tally.entries.total(),
            "entries_kept": tally.entries["kept"],
            "het_groups": tally.ligands.total(),
            "instances_kept": tally.instances,
            "components_kept": len(tally.components),
            "series": series,
            "files": dict(sorted(extensions.items())),
        },
        "rejections": {"entries": _rejections(tally.entries), "ligands": _rejections(tally.ligands)},
        "bond_sources": {
            name: {"instances": count, "share": round(count / n_sources, 4)} for name, count in sorted(sources.items())
        },
        "contexts": {
            "headline": HEADLINE_CONTEXT,
            "measured": list(CONTEXTS),
            "war_pdb": settings["structure"]["context"],
        },
        "self_check": {
            "passed": not tally.failures,
            "checks": checks,
            "failures": [{name: row[name] for name in ("stem", "check", "value", "detail")} for row in tally.in_order],
        },
        "versions": versions(),
        "settings": settings,
        "config_sha256": hashlib.sha256(canonical.encode("utf-8")).hexdigest(),
        "varying_files": list(VARYING),
    }
    # Files row by row: the encoder that indents is five times slower, and of large jobs there are a million.
    yield json.dumps(manifest, indent=1, ensure_ascii=False).removesuffix("\n}") + ',\n "files": ['
    for number, row in enumerate(files):
        cells = (f'\n   "{name}": {json.dumps(value, ensure_ascii=False)}' for name, value in row.items())
        yield f"{',' if number else ''}\n  {{{','.join(cells)}\n  }}"
    yield "\n ]\n}\n"


def _rejections(reasons: Counter[str]) -> dict[str, int]:
    """Return counts by reason, without accepted ones."""
    return {reason: reasons[reason] for reason in sorted(reasons) if reason not in ("kept", "member_of_group")}
