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
from service.runs.on_demand import SEARCH_RETRY, Scripts
from service.scrub import Scrubber
from tethermap.run.display import STEPS
from tethermap.run.start import cost

_SECONDS = 60.0


async def dry_run(scripts: Scripts, scrubber: Scrubber, submission: Submission) -> DryRunAnswer:
    """Return the entries that a job would use, by its search.

    Raises
    ------
    InvalidField
        If the source rejects the query.
    UpstreamUnavailable
        If it doesn't answer.
    QueueFull
        If too many wait already.
    """
    async with scripts.places["search"].taken():
        with tempfile.TemporaryDirectory(prefix="tethermap-dry-", ignore_cleanup_errors=True) as folder:
            config = Path(folder) / "job.json"
            config.write_text(json.dumps(pipeline_config(submission.settings(), scripts.settings)), encoding="utf-8")
            command = [sys.executable, "-m", "scripts.scout", str(config)]
            try:
                status, output, _ = await output_of(command, _SECONDS, child_environment(scripts.settings))
            except TimeoutError:
                message = "The source took too long to answer: try again later."
                raise UpstreamUnavailable(message, retry_after=SEARCH_RETRY) from None
    found: dict[str, Any] = json.loads(output or b"{}")
    if status != 0:
        error = found.get("error", {})
        message = scrubber.text(error.get("message", ""))
        if error.get("kind") == "input":
            raise InvalidField(message, field="search_query", reason=message)
        raise UpstreamUnavailable(message or "The search did not end: try again.", retry_after=SEARCH_RETRY)
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
