"""Preview of a job: its search step in a temporary folder."""

import json
import sys
import tempfile
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
from tethermap.run.display import STEPS
from tethermap.run.start import cost

_SECONDS = 60.0
_AT_ONCE = 2
_RETRY = 30


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
        self._places = Places(_AT_ONCE, None, "Too many dry runs wait: try again.", _RETRY)

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
            with tempfile.TemporaryDirectory(prefix="tethermap-dry-", ignore_cleanup_errors=True) as folder:
                config = Path(folder) / "job.json"
                config.write_text(json.dumps(pipeline_config(submission.settings(), self._settings)), encoding="utf-8")
                command = [sys.executable, "-m", "scripts.scout", str(config)]
                try:
                    status, output, _ = await output_of(command, _SECONDS, child_environment(self._settings))
                except TimeoutError:
                    message = "The source took too long to answer: try again later."
                    raise UpstreamUnavailable(message, retry_after=_RETRY) from None
        found: dict[str, Any] = json.loads(output or b"{}")
        if status != 0:
            error = found.get("error", {})
            message = self._scrubber.text(error.get("message", ""))
            if error.get("kind") == "input":
                raise InvalidField(message, field="search_query", reason=message)
            raise UpstreamUnavailable(message or "The search did not end: try again.", retry_after=_RETRY)
        selected = found["entries"]
        expected = cost([row["size"] for row in selected])
        return DryRunAnswer(
            total=len(selected),
            entries=[
                DryRunEntry.model_construct(
                    pdb_id=row["pdb_id"],
                    title=row["title"],
                    resolution=row["resolution"],
                    ligands=[code for code in row["ligands"].split("; ") if code],
                    reason=row["hits"],
                )
                for row in selected
            ],
            proteins=[FoundProtein(**protein) for protein in found["proteins"]],
            left_out=found["left_out"],
            steps=[PlannedStep(name=name, says=says) for name, says in STEPS.items() if name != "all"],
            estimate=Estimate(**expected._asdict()),
            notes=list(dict.fromkeys([*submission.notes, *found["notes"]])),
        )
