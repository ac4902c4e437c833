"""The results of a job in one response: counts, key files, skipped entries and ligands with reasons."""

import json
from collections import Counter
from pathlib import Path

from service.http.result_answers import File, LeftOut, PipelineVersion, ResultCounts, ResultsAnswer, ResultUrls
from service.jobs.artifacts import list_artifacts
from service.jobs.durable import raise_shortage
from service.results.job import Job
from service.results.tables import JobTables
from tethermap.base import layout, tables

_FIRST = 1000
_NOT_REJECTED = ("kept", "member_of_group")
_FILES = ',\n "files": ['
"""Where a manifest begins to list its files, which come last: to parse thousands of them takes 10 ms."""
_HEAD = 50_000
"""Characters of a manifest that are read first; usually the files begin among them."""


def results_answer(job: Job) -> ResultsAnswer:
    """Return the results of a job that has ended, however it ended."""
    record, base = job.record, job.base
    listing = list_artifacts(job.folder)
    every = listing.artifacts
    summary = [one for one in every if one.name == layout.RESULTS_DISPLAY_LINK or "summary" in one.name.lower()]
    return ResultsAnswer(
        job_id=record.job_id,
        status=record.status,
        has_results=record.has_results,
        counts=ResultCounts(
            **{kind: number for kind, number in listing.counts().items() if kind in ResultCounts.model_fields},
            tsv=sum(1 for artifact in every if artifact.name.lower().endswith(".tsv")),
        ),
        urls=ResultUrls(files=f"{base}/files", bundle=f"{base}/bundle", browser_results=job.page),
        summary_files=File.all_of(listing, base, summary),
        display_files=File.all_of(listing, base, [one for one in every if one.kind in ("html", "svg")]),
        files=File.all_of(listing, base, every[:_FIRST]),
        files_total=len(every),
        rejections=_rejections(job.tables),
        pipeline=pipeline_of(job.folder),
    )


def _rejections(reader: JobTables) -> LeftOut:
    """Count entries and ligands that were left out, together."""
    reasons: Counter[str] = Counter()
    for table in (tables.ENTRY_STATUS, tables.LIGAND_STATUS):
        reasons.update(dict(reader.fetch(table, "coalesce(reason, ''), count(*)", "GROUP BY reason")))
    left_out = {reason: number for reason, number in sorted(reasons.items()) if reason not in _NOT_REJECTED}
    return LeftOut(total=sum(left_out.values()), by_reason=left_out)


def pipeline_of(folder: Path) -> PipelineVersion:
    """Return version and settings of the run that made the results, as its manifest has them."""
    try:
        with (folder / layout.MANIFEST).open(encoding="utf-8") as stream:
            text = stream.read(_HEAD)
            head, files, _ = (text if _FILES in text else text + stream.read()).partition(_FILES)
        manifest = json.loads(f"{head}}}" if files else head)
        return PipelineVersion(version=manifest["pipeline"]["version"], config_sha256=manifest["config_sha256"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise_shortage(error)
        return PipelineVersion()
