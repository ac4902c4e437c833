"""Preview of a job: its search step in a temporary folder."""

import asyncio
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from service.errors import InvalidField, UpstreamUnavailable
from service.http.job_answers import DryRunAnswer, DryRunEntry, Estimate, FoundProtein, PlannedStep
from service.jobs.child import output_of
from service.jobs.submission import Submission
from service.runs.config import child_environment, pipeline_config
from service.runs.on_demand import Places
from service.scrub import Scrubber
from service.settings import Settings
from tethermap.base import layout, tables
from tethermap.run.display import STEPS
from tethermap.run.logs import read_error
from tethermap.run.start import cost

_SECONDS = 60.0
_AT_ONCE = 2
_RETRY = {"Retry-After": "30"}


class DryRuns:
    """Runs searches for clients who want to know beforehand; few at once.

    Parameters
    ----------
    settings : Settings
        Source and cache of the service.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._scrubber = Scrubber(settings)
        self._places = Places(_AT_ONCE, None, "Too many dry runs wait: try again.", _RETRY["Retry-After"])

    async def run(self, submission: Submission) -> DryRunAnswer:
        """Return the entries that a job would use.

        Raises
        ------
        InvalidField
            If the source rejects the query.
        UpstreamUnavailable
            If it doesn't answer.
        QueueFull
            If too many wait already.
        """
        async with self._places.taken():
            return await self._search(submission)

    async def _search(self, submission: Submission) -> DryRunAnswer:
        with tempfile.TemporaryDirectory(prefix="tethermap-dry-", ignore_cleanup_errors=True) as folder:
            job = Path(folder) / "job"
            config = Path(folder) / "job.json"
            job.mkdir()
            config.write_text(json.dumps(pipeline_config(submission.settings(), self._settings)), encoding="utf-8")
            command = [sys.executable, "-m", "scripts.scout", str(config), str(job)]
            try:
                status, *_ = await output_of(command, _SECONDS, child_environment(self._settings))
            except TimeoutError:
                message = "The source took too long to answer: try again later."
                raise UpstreamUnavailable(message, headers=_RETRY) from None
            if status != 0:
                error = read_error(job)
                message = self._scrubber.text(error.get("message", ""))
                if error.get("kind") == "input":
                    raise InvalidField(message, details={"field": "search_query", "reason": message})
                raise UpstreamUnavailable(message or "The search did not end: try again.", headers=_RETRY)
            rows = await asyncio.to_thread(lambda: list(tables.read_table(job / layout.SEARCH_ENTRIES, tables.ENTRIES)))
            notes = [str(note) for note in _read(job / layout.SEARCH_QUERY)["notes"]]
            proteins = [FoundProtein(**protein) for protein in _read(job / layout.PROTEINS)]
        selected = [row for row in rows if row["selected"]]
        expected = cost([None if row["size"] is None else int(row["size"]) for row in selected])
        return DryRunAnswer(
            total=len(selected),
            entries=[
                DryRunEntry.model_construct(
                    pdb_id=row["pdb_id"],
                    title=row["title"],
                    resolution=row["resolution"],
                    ligands=[code for code in str(row["ligands"]).split("; ") if code],
                    reason=row["hits"],
                )
                for row in selected
            ],
            proteins=proteins,
            left_out=dict(Counter(str(row["reason"]) for row in rows if not row["selected"])),
            steps=[PlannedStep(name=name, says=says) for name, says in STEPS.items() if name != "all"],
            estimate=Estimate(**expected._asdict()),
            notes=list(dict.fromkeys([*submission.notes, *notes])),
        )


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))
