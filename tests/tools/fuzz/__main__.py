"""Feed damaged structure files to the pipeline: ``make fuzz``.

``python -m tests.tools.fuzz "4cup odd_numbers 17"`` runs single cases and reports their outcome.
A campaign that was stopped is resumed when it is started again.
"""

import os
import sys
import tempfile
from pathlib import Path

from tests.tools.figures import Figure, Section, measure_section
from tests.tools.fuzz.campaign import HANG_SECONDS, MOST_MB, Campaign, kinds, outcome
from tests.tools.fuzz.case import Case, archive_bases, mirror_bases
from tests.tools.fuzz.mutations import MUTATIONS
from tests.tools.runs import ROOT

CASES = 10_000


def bases() -> dict[str, bytes]:
    """Return the files to damage: the embedded archive and, if available, the small ones of the mirror."""
    mirror = os.environ.get("TETHERMAP_TEST_MIRROR")
    return {**(mirror_bases(Path(mirror)) if mirror else {}), **archive_bases()}


def single(cases: list[str]) -> int:
    """Run the given cases; the status is an error if one failed."""
    from tests.tools.fuzz.one_job import OneJob

    files, status = bases(), 0
    with tempfile.TemporaryDirectory() as folder:
        job = OneJob(Path(folder) / "job")
        for text in cases:
            reason, instances, wrong = outcome(job, Case.of(text).content(files))
            sys.stdout.write(f"{text}: {reason}, {instances} kept\n" + "".join(f"  {line}\n" for line in wrong))
            status |= bool(wrong)
    return int(status)


def measure(_folder: Path) -> Section:
    """Run a campaign, or resume it, and count the faults."""
    files = bases()
    results = Campaign(files, ROOT / "results" / "fuzz" / f"0-{len(files)}.jsonl").run(CASES, 2)
    for kind, found in kinds(results):
        sys.stdout.write(f"{len(found)} {kind}\n" + "".join(f"    {r.case}: {r.wrong[0][:200]}\n" for r in found[:3]))
    faults = {
        "crashes": "crash",
        f"hangs of more than {HANG_SECONDS:g} s CPU": "hang",
        "stages that raised": "raised",
        "cases with a group without status row": "no status",
        "cases with anything wrong": "",
    }
    seconds = [result.seconds for result in results]
    figures = [
        Figure("cases", len(results), at_least=CASES),
        *(
            Figure(name, sum(any(text.startswith(kind) for text in one.wrong) for one in results), at_most=0)
            for name, kind in faults.items()
        ),
        Figure("cases with ligands kept", sum(result.instances > 0 for result in results)),
        Figure("longest case, CPU", max(seconds), "s", "wall"),
        Figure("mean case", 1000 * sum(seconds) / len(results), "ms", "wall"),
    ]
    note = (
        f"{len(files)} base files, {len(MUTATIONS)} mutations, one to three of them a case; parse, clean, bonds, areas,"
        f" exits, self-check, series and tables in one process, at most {MOST_MB} MB of memory more than at its start."
    )
    return figures, (), [note]


if __name__ == "__main__":
    sys.exit(single(sys.argv[1:]) if sys.argv[1:] else measure_section("fuzz", "make fuzz", measure))
