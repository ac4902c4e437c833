"""The manifest: content of a job, with hashes, counts, versions and the outcome of its checks."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of a job.

    Parameters
    ----------
    entries, ligands : Counter
        Rows of the status tables by reason.
    components, bond_sources : Counter
        Instances by component code and by the source of their bonds.
    checks : dict of str to (int, int)
        Number of passed and of failed checks by name.
    failures : list of Row
        Checks that failed.
    """

    entries: Counter[str]
    ligands: Counter[str]
    components: Counter[str]
    bond_sources: Counter[str]
    checks: dict[str, tuple[int, int]]
    failures: list[Row]


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
    checks = {
        name: {"says": CHECKS.get(name, ""), "passed": passed, "failed": failed}
        for name, (passed, failed) in tally.checks.items()
    }
    extensions = Counter(str(row["path"]).rpartition(".")[2] for row in files)
    n_instances = tally.components.total()
    canonical = json.dumps(settings, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    manifest = {
        "pipeline": {"name": "tethermap", "version": __version__},
        "target_name": settings["target_name"],
        "search_query": settings["search_query"],
        "has_results": n_instances > 0,
        "key_outputs": KEY_OUTPUTS,
        "counts": {
            "entries_found": tally.entries.total(),
            "entries_kept": tally.entries["kept"],
            "het_groups": tally.ligands.total(),
            "instances_kept": n_instances,
            "components_kept": len(tally.components),
            "series": series,
            "files": dict(sorted(extensions.items())),
        },
        "rejections": {"entries": _rejections(tally.entries), "ligands": _rejections(tally.ligands)},
        "bond_sources": {
            name: {"instances": count, "share": round(count / n_instances, 4)}
            for name, count in sorted(tally.bond_sources.items())
        },
        "contexts": {
            "headline": HEADLINE_CONTEXT,
            "measured": list(CONTEXTS),
            "war_pdb": settings["structure"]["context"],
        },
        "self_check": {
            "passed": not tally.failures,
            "checks": checks,
            "failures": [{name: row[name] for name in ("stem", "check", "value", "detail")} for row in tally.failures],
        },
        "versions": versions(),
        "settings": settings,
        "config_sha256": hashlib.sha256(canonical.encode("utf-8")).hexdigest(),
        "varying_files": list(VARYING),
    }
    # Files row by row: the encoder that indents is five times slower, and of large jobs there are a million.
    yield json.dumps(manifest, indent=1, ensure_ascii=False).removesuffix("\n}") + ',\n "files": ['
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",\n   ", ": ")).encode
    for number, row in enumerate(files):
        yield f"{',' if number else ''}\n  {{\n   {encode(row)[1:-1]}\n  }}"
    yield "\n ]\n}\n"


def _rejections(reasons: Counter[str]) -> dict[str, int]:
    """Return counts by reason, without accepted ones."""
    return {reason: reasons[reason] for reason in sorted(reasons) if reason not in ("kept", "member_of_group")}
