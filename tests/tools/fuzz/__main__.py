"""Feed damaged structure files to the pipeline: ``make fuzz``.

``python -m tests.tools.fuzz "4cup odd_numbers 17"`` runs single cases and reports their outcome.
A campaign that was stopped is resumed when it is started again.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from tests.tools.figures import Figure, write_section
from tests.tools.fuzz.campaign import HANG_SECONDS, MOST_MB, Campaign, Result, kinds, outcome
from tests.tools.fuzz.case import Case, archive_bases, mirror_bases
from tests.tools.fuzz.mutation import MUTATIONS
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


def report(results: list[Result], files: int) -> None:
    """Write the figures of a campaign."""
    wrong = [result for result in results if result.wrong]
    kept = sum(result.instances > 0 for result in results)
    figures = [
        Figure("cases", len(results), at_least=CASES),
        Figure("crashes", sum(_is(result, "crash") for result in results), at_most=0),
        Figure(f"hangs of more than {HANG_SECONDS:g} s CPU", sum(_is(result, "hang") for result in results), at_most=0),
        Figure("stages that raised", sum(_is(result, "raised") for result in results), at_most=0),
        Figure("cases with a group without status row", sum(_is(result, "no status") for result in results), at_most=0),
        Figure("cases with anything wrong", len(wrong), at_most=0),
        Figure("cases with ligands kept", kept),
        Figure("longest case, CPU", max(result.seconds for result in results), "s", "wall"),
        Figure("mean case", 1000 * sum(result.seconds for result in results) / len(results), "ms", "wall"),
    ]
    note = (
        f"{files} base files, {len(MUTATIONS)} mutations, one to three of them a case; parse, clean, bonds, areas,"
        f" exits, self-check, series and tables in one process, at most {MOST_MB} MB of memory more than at its start."
    )
    write_section("fuzz", "make fuzz", figures, (), [note])


def _is(result: Result, kind: str) -> bool:
    return any(text.startswith(kind) for text in result.wrong)


def main() -> int:
    """Run a campaign or single cases."""
    if sys.argv[1:]:
        return single(sys.argv[1:])
    files = bases()
    results = Campaign(files, ROOT / "results" / "fuzz" / f"0-{len(files)}.jsonl").run(CASES, 2)
    for kind, found in kinds(results):
        sys.stdout.write(f"{len(found)} {kind}\n" + "".join(f"    {r.case}: {r.wrong[0][:200]}\n" for r in found[:3]))
    report(results, len(files))
    return int(any(result.wrong for result in results))


if __name__ == "__main__":
    sys.exit(main())
