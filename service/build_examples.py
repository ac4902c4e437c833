"""`python -m service.build_examples`: run the configured examples and put their results in place.

Examples of the repository are made from the embedded archive; the others from the service's source, if that is a mirror
or RCSB PDB.
"""

import argparse
import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from service.jobs.outcome import record_of_folder
from service.jobs.record import RECORD
from service.results.examples import Example, load_examples
from service.runs.config import child_environment, pipeline_config, snakemake_command
from service.settings import LOCAL_PROFILE, REPOSITORY, Settings
from tethermap.base import layout
from tethermap.reproduce import differing
from tethermap.run.logs import read_error

SHIPPED = REPOSITORY / "data" / "examples"

_LOG = logging.getLogger(__name__)
_NOT_RESULTS = (layout.WORK, ".snakemake")


def main(arguments: list[str] | None = None) -> int:
    """Build the examples that are named, else all that this source can build; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m service.build_examples", description=__doc__)
    parser.add_argument("job_id", nargs="*", help="ids of examples in config/examples.yaml")
    asked = parser.parse_args(arguments).job_id
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    settings = Settings.from_environment(os.environ)
    examples = load_examples()
    if unknown := sorted({*asked} - {*examples}):
        parser.error(f"config/examples.yaml has no {', '.join(unknown)}")
    failed = 0
    for example in examples.values():
        if (asked and example.job_id not in asked) or not (example.shipped or asked or settings.mirror):
            continue
        target = SHIPPED if example.shipped else settings.examples_dirs[-1]
        _LOG.info("%s: %s", example.job_id, example.label)
        try:
            build(example, settings, target)
        except RuntimeError as error:
            failed += 1
            _LOG.error("%s: %s", example.job_id, error)
    return 1 if failed else 0


def build(example: Example, settings: Settings, target: Path) -> Path:
    """Run an example and put its results into a folder of its id below `target`, at once; return it.

    A folder with the same results is not changed, so that building shipped examples again changes no date.

    Raises
    ------
    RuntimeError
        If the run fails, with the reason.
    """
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="tethermap-example-") as name:
        job = Path(name) / "job"
        run_example(example, settings, job)
        final, new = target / example.job_id, target / f".{example.job_id}.new"
        if is_built(job, final):
            _LOG.info("%s: unchanged", example.job_id)
            return final
        shutil.rmtree(new, ignore_errors=True)
        copy_example(job, new)
        day = json.loads((new / layout.SEARCH_QUERY).read_text(encoding="utf-8"))["date"]
        record = record_of_folder(new, example.job_id, "example", time=f"{day}T00:00:00Z")
        (new / RECORD).write_text(json.dumps(asdict(record), indent=1) + "\n", encoding="utf-8")
        shutil.rmtree(final, ignore_errors=True)
        new.rename(final)
    return final


def is_built(job: Path, final: Path) -> bool:
    """Return whether a folder has the results of a fresh run, ignoring dates and versions of packages."""
    if not (final / RECORD).is_file() or not (final / layout.MANIFEST).is_file():
        return False
    kept = [layout.JOB_CONFIG]
    kept += [layout.archive(folder.name, name) for folder in layout.shard_folders(job) for name in layout.ON_DEMAND]
    same = all((final / path).is_file() and (final / path).read_bytes() == (job / path).read_bytes() for path in kept)
    return same and not differing(final, job)


def copy_example(job: Path, new: Path) -> None:
    """Copy the parts of a finished run that belong to an example: its results, and the intermediates for requests."""
    shutil.copytree(job, new, ignore=lambda folder, _: _NOT_RESULTS if Path(folder) == job else ())
    for folder in layout.shard_folders(job):
        for name in layout.ON_DEMAND:
            path = layout.archive(folder.name, name)
            (new / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(job / path, new / path)


def run_example(example: Example, settings: Settings, job: Path) -> None:
    """Run an example's job in a folder.

    Raises
    ------
    RuntimeError
        If it fails.
    """
    source = example.job.get("source")
    config = pipeline_config(example.job, settings)
    if source is not None:
        config["source"] = dict(source)
    path = job.with_name(f"{job.name}.json")
    path.write_text(json.dumps(config), encoding="utf-8")
    job.mkdir()
    command = snakemake_command(settings.model_copy(update={"profile": LOCAL_PROFILE}), job, path, "--quiet", "all")
    ended = subprocess.run(
        command, check=False, env=child_environment(settings), stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if ended.returncode:
        raise RuntimeError(read_error(job).get("message") or ended.stderr[-2000:])


if __name__ == "__main__":
    sys.exit(main())
