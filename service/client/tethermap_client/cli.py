"""The command `tethermap-client`."""

from __future__ import annotations

import argparse
import csv
import json
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tethermap_client.client import Tethermap
from tethermap_client.errors import NotAnsweredError, RefusedError, TethermapError, TookTooLongError, UnauthorizedError
from tethermap_client.model import Job

DONE, FAILED, REFUSED, NOT_ANSWERED, UNAUTHORIZED, TOO_LONG = range(6)
"""Exit codes."""

_FIELDS = ("target_name", "search_query", "fasta_seq", "pdb_id", "ligand")
_ANSWER_COLUMNS = ("Target", "Warhead", "answer_rank", "anchor_atom", "action", "score_median", "observed")
_BAR = 24


def main(arguments: Sequence[str] | None = None, *, make: Callable[..., Tethermap] = Tethermap) -> int:
    """Do what a command line says; return the exit code."""
    chosen = _parser().parse_args(arguments)
    try:
        with make(chosen.url, chosen.token) as service:
            return int(chosen.does(service, chosen))
    except UnauthorizedError as error:
        return _complain(error, UNAUTHORIZED)
    except TookTooLongError as error:
        return _complain(error, TOO_LONG)
    except NotAnsweredError as error:
        return _complain(error, NOT_ANSWERED)
    except (RefusedError, TethermapError, ValueError, OSError) as error:
        return _complain(error, REFUSED)
    except KeyboardInterrupt:
        return _complain("Stopped; the job goes on. The same command follows it again.", FAILED)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tethermap-client", description="Jobs of a Tethermap service.")
    parser.add_argument("--url", help="address of the service (TETHERMAP_URL; http://127.0.0.1:8000)")
    parser.add_argument("--token", help="token, where the service asks for one (TETHERMAP_TOKEN)")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    submit = commands.add_parser("submit", help="submit a job")
    submit.add_argument("--target", help="name of the target")
    submit.add_argument("--query", help="words, PDB ids, UniProt accessions")
    submit.add_argument("--fasta", type=Path, metavar="FILE", help="sequence of the target")
    submit.add_argument("--pdb", metavar="ID", help="this entry alone")
    submit.add_argument("--ligand", metavar="CODE", help="this component alone")
    submit.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="a setting of the pipeline")
    submit.add_argument("--dry-run", action="store_true", help="only show which entries it would take")
    _add_following(submit)
    submit.set_defaults(does=_submit)

    status = commands.add_parser("status", help="how jobs are")
    status.add_argument("job_id", nargs="+")
    _add_following(status, again=False)
    status.set_defaults(does=_status)

    batch = commands.add_parser("batch", help="submit the jobs of a CSV file, which run one after another")
    batch.add_argument("file", type=Path)
    batch.add_argument("--delay", type=float, default=0.0, help="seconds between them")
    _add_following(batch)
    batch.set_defaults(does=_batch)

    answers = commands.add_parser("answers", help="where linkers can leave the ligands of a job")
    answers.add_argument("job_id")
    answers.add_argument("--ligand", metavar="CODE")
    answers.add_argument("--top", type=int, default=3, help="sites of each ligand (3)")
    answers.add_argument("--format", choices=("table", "csv", "json"), default="table")
    answers.set_defaults(does=_answers)

    cancel = commands.add_parser("cancel", help="cancel jobs")
    cancel.add_argument("job_id", nargs="+")
    cancel.set_defaults(does=_cancel)
    retry = commands.add_parser("retry", help="queue failed or canceled jobs again")
    retry.add_argument("job_id", nargs="+")
    retry.set_defaults(does=_retry)
    return parser


def _add_following(parser: argparse.ArgumentParser, *, again: bool = True) -> None:
    parser.add_argument("--wait", action="store_true", help="follow it to its end")
    parser.add_argument("--timeout", type=float, help="seconds to wait at most; it goes on after them")
    parser.add_argument("--download", type=Path, metavar="FOLDER", help="download the results (waits for them)")
    parser.add_argument("--json", action="store_true", help="print what the service answers")
    if again:
        parser.add_argument("--new", action="store_true", help="make a new job even if there is the same of today")


# Commands


def _submit(service: Tethermap, chosen: argparse.Namespace) -> int:
    given = {
        "target_name": chosen.target,
        "search_query": chosen.query,
        "fasta_seq": chosen.fasta.read_text(encoding="utf-8") if chosen.fasta else None,
        "pdb_id": chosen.pdb,
        "ligand": chosen.ligand,
        "options": _options(chosen.option) or None,
    }
    body = {name: value for name, value in given.items() if value is not None}
    if chosen.dry_run:
        _print(json.dumps(service.preview(body), indent=1))
        return DONE
    job = service.submit_body(body, key=_new_key(chosen))
    if not (chosen.wait or chosen.download):
        _print(json.dumps(dict(job.body), indent=1) if chosen.json else job.job_id)
        return DONE
    return _follow(service, [job.job_id], chosen)


def _status(service: Tethermap, chosen: argparse.Namespace) -> int:
    return _follow(service, chosen.job_id, chosen)


def _batch(service: Tethermap, chosen: argparse.Namespace) -> int:
    with chosen.file.open(encoding="utf-8-sig", newline="") as stream:
        jobs = [_job_of_row(row) for row in csv.DictReader(stream)]
    batch = service.submit_batch(jobs, delay_seconds=chosen.delay, key=_new_key(chosen))
    ids = [str(job["job_id"]) for job in batch["jobs"]]
    if not (chosen.wait or chosen.download):
        _print(json.dumps(batch, indent=1) if chosen.json else "\n".join(ids))
        return DONE
    return _follow(service, ids, chosen)


def _answers(service: Tethermap, chosen: argparse.Namespace) -> int:
    filters = {"ligand": chosen.ligand, "top": chosen.top}
    rows = service.answers(chosen.job_id, **{name: value for name, value in filters.items() if value is not None})
    if chosen.format == "json":
        _print(json.dumps(rows, indent=1))
    elif chosen.format == "csv":
        writer = csv.DictWriter(sys.stdout, list(rows[0]) if rows else [])
        writer.writeheader()
        writer.writerows(rows)
    else:
        columns = [name for name in _ANSWER_COLUMNS if rows and name in rows[0]]
        table = [columns, *([_cell(row[name]) for name in columns] for row in rows)]
        widths = [max(len(row[place]) for row in table) for place in range(len(columns))]
        for row in table:
            _print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    return DONE


def _cancel(service: Tethermap, chosen: argparse.Namespace) -> int:
    for job_id in chosen.job_id:
        _print(_sentence(service.cancel(job_id)))
    return DONE


def _retry(service: Tethermap, chosen: argparse.Namespace) -> int:
    for job_id in chosen.job_id:
        _print(_sentence(service.retry(job_id)))
    return DONE


# Following


def _follow(service: Tethermap, ids: Sequence[str], chosen: argparse.Namespace) -> int:
    """Show jobs, at their end where that is asked for, and download their results; return the exit code."""
    waits = chosen.wait or chosen.download
    jobs = []
    for job_id in ids:
        bar = _Bar(job_id)
        job = service.wait(job_id, timeout=chosen.timeout, told=bar.job) if waits else service.job(job_id)
        bar.end()
        jobs.append(job)
        _print(json.dumps(dict(job.body), indent=1) if chosen.json else _sentence(job))
        if chosen.download and job.status == "completed":
            folder = service.download(job.job_id, chosen.download, told=bar.bytes)
            bar.end()
            if not chosen.json:
                _print(str(folder))
    return FAILED if any(job.status in ("failed", "canceled") for job in jobs) else DONE


class _Bar:
    """A line on a terminal that shows how far a job or a download is; nothing elsewhere."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._shown = sys.stderr.isatty()

    def job(self, job: Job) -> None:
        entries = f", {job.entries_done} of {job.entries_found} entries" if job.entries_found else ""
        step = f" {job.step.replace('_', ' ')}" if job.step else f" {job.status}"
        self._show((job.percent or 0) / 100, f"{step}{entries}")

    def bytes(self, done: int, total: int) -> None:
        self._show(done / total if total else 0, f" {done / 1e6:.1f} of {total / 1e6:.1f} MB")

    def end(self) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def _show(self, share: float, says: str) -> None:
        if self._shown:
            full = round(_BAR * min(1.0, share))
            sys.stderr.write(f"\r\x1b[K{self._name} [{'#' * full}{'.' * (_BAR - full)}] {share:4.0%}{says}"[:110])
            sys.stderr.flush()


def _sentence(job: Job) -> str:
    tail = f": {job.error}" if job.error else "" if job.status != "completed" or job.has_results else ": nothing kept"
    return f"{job.job_id}  {job.status}  {job.target_name}{tail}"


# Reading


def _options(given: Sequence[str]) -> dict[str, Any]:
    """Return options from ``NAME=VALUE``: JSON where it is some, else text."""
    options = {}
    for word in given:
        name, equals, value = word.partition("=")
        if not equals:
            raise ValueError(f"--option {word!r} is not NAME=VALUE.")
        options[name] = _value(value)
    return options


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _job_of_row(row: Mapping[str | Any, Any]) -> dict[str, Any]:
    """Return the job of a row: fields by their names, other columns as options, several values apart by ``;``."""
    if None in row:
        raise ValueError("A row of the file has more cells than its first line.")
    filled = {name: value.strip() for name, value in row.items() if value and value.strip()}
    job: dict[str, Any] = {name: value for name, value in filled.items() if name in _FIELDS}
    others = {name: value for name, value in filled.items() if name not in _FIELDS}
    if others:
        parts = {name: [_value(part.strip()) for part in value.split(";")] for name, value in others.items()}
        job["options"] = {name: many if ";" in others[name] else many[0] for name, many in parts.items()}
    return job


def _new_key(chosen: argparse.Namespace) -> str | None:
    return secrets.token_hex(16) if chosen.new else None


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def _complain(error: object, code: int) -> int:
    sys.stderr.write(f"tethermap-client: {error}\n")
    return code
