"""The command `tethermap-client`."""

import argparse
import csv
import json
import secrets
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tethermap_client.client import Tethermap
from tethermap_client.errors import (
    NotAnsweredError,
    NotReadyError,
    RefusedError,
    TethermapError,
    TookTooLongError,
    UnauthorizedError,
)
from tethermap_client.model import UNAVAILABLE, Job

DONE, FAILED, REFUSED, NOT_ANSWERED, UNAUTHORIZED, TOO_LONG, NOT_READY = range(7)
"""Exit codes."""

_FIELDS = ("target_name", "search_query", "fasta_seq", "pdb_id", "ligand", "structures")
_SYNCED = "jobs.csv"
"""File of `sync` in its folder: the job of each row."""
_BAR = 24
_NO_TOKEN = 401


def main(arguments: Sequence[str] | None = None, *, make: Callable[..., Tethermap] = Tethermap) -> int:
    """Execute a command line; return the exit code."""
    chosen = _parser().parse_args(arguments)
    try:
        with make(chosen.url, chosen.token) as service:
            return _COMMANDS[chosen.command](service, chosen)
    except (TethermapError, ValueError, OSError) as error:
        return _complain(error, _code(error))
    except KeyboardInterrupt:
        return _complain("Stopped; the job continues. Repeat the command to follow it again.", FAILED)


def _code(error: Exception) -> int:
    """Return the exit code of an error."""
    codes = {UnauthorizedError: UNAUTHORIZED, TookTooLongError: TOO_LONG, NotAnsweredError: NOT_ANSWERED,
             NotReadyError: NOT_READY}  # fmt: skip
    return codes.get(type(error), REFUSED)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tethermap-client", description="Jobs of a Tethermap service.")
    parser.add_argument("--url", help="address of the service (TETHERMAP_URL; http://127.0.0.1:8000)")
    parser.add_argument("--token", help="token, if the service requires one (TETHERMAP_TOKEN)")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    commands = tomllib.loads(Path(__file__).with_name("commands.toml").read_text(encoding="utf-8"))
    groups = commands.pop("groups")
    for name, command in commands.items():
        made = subparsers.add_parser(name, help=command["help"])
        for kind in (int, float, Path):
            made.register("type", kind.__name__.lower(), kind)
        own = [made.add_argument(flag, **options) for flag, options in command["arguments"].items()]
        for group in command.get("groups", ()):
            for flag, options in groups[group].items():
                made.add_argument(flag, **options)
        names = [action.dest for action in own if action.option_strings]
        made.set_defaults(shown=command.get("columns", ()), own=names, **command.get("defaults", {}))
    return parser


# Commands


def _submit(service: Tethermap, chosen: argparse.Namespace) -> int:
    body = {name: value for name, value in _given(chosen).items() if value and name in _FIELDS}
    if chosen.fasta:
        body["fasta_seq"] = chosen.fasta.read_text(encoding="utf-8")
    if chosen.option:
        given = dict(_name_and_value(word, "--option NAME=VALUE") for word in chosen.option)
        body["options"] = {name: _value(service, name, text) for name, text in given.items()}
    if chosen.dry_run:
        return _print(json.dumps(service.preview(body), indent=1))
    job = service.submit(**body, key=secrets.token_hex(16) if chosen.new else None)
    return _submitted(service, [job.job_id], job.body, chosen)


def _upload(service: Tethermap, chosen: argparse.Namespace) -> int:
    upload = service.upload(chosen.file)
    return _print(json.dumps(upload, indent=1) if chosen.json else upload["upload_id"])


def _list(service: Tethermap, chosen: argparse.Namespace) -> int:
    return _show(list(service.jobs(**_given(chosen))), chosen, service.columns("ListedJob"))


def _status(service: Tethermap, chosen: argparse.Namespace) -> int:
    return _follow(service, chosen.job_id, chosen)


def _batch(service: Tethermap, chosen: argparse.Namespace) -> int:
    key = secrets.token_hex(16) if chosen.new else None
    batch = service.submit_batch(_jobs_of(service, chosen.file), delay_seconds=chosen.delay, key=key)
    return _submitted(service, [str(job["job_id"]) for job in batch["jobs"]], batch, chosen)


def _submitted(service: Tethermap, ids: Sequence[str], body: Mapping[str, Any], chosen: argparse.Namespace) -> int:
    """Show new jobs at once, or at their end."""
    if chosen.wait or chosen.download:
        return _follow(service, ids, chosen)
    return _print(json.dumps(dict(body), indent=1) if chosen.json else "\n".join(ids))


def _sync(service: Tethermap, chosen: argparse.Namespace) -> int:
    """Submit the rows without a living job, then wait for all jobs and download what is new.

    A row that the service refuses is reported at the end; the others are done.
    """
    path = chosen.download / _SYNCED
    known = {}
    if path.exists():
        with path.open(encoding="utf-8", newline="") as stream:
            known = {row["request"]: row for row in csv.DictReader(stream)}
    chosen.download.mkdir(parents=True, exist_ok=True)
    ids: list[str] = []
    failures: list[tuple[str, TethermapError]] = []
    for number, body in enumerate(_jobs_of(service, chosen.file), 1):
        request = json.dumps(body, sort_keys=True)
        try:
            job = _living(service, known.get(request, {}).get("job_id")) or service.submit(**body)
        except RefusedError as error:
            _stop_if_unauthorized(error)
            failures.append((f"row {number}", error))
            continue
        known[request] = {"job_id": job.job_id, "target_name": job.target_name, "request": request}
        ids.append(job.job_id)
        temporary = path.with_name(f".{path.name}.part")  # a sync that is stopped forgets no job
        with temporary.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, ("job_id", "target_name", "request"))
            writer.writeheader()
            writer.writerows(known.values())
        temporary.replace(path)
    return _follow(service, ids, chosen, failures)


def _stop_if_unauthorized(error: TethermapError) -> None:
    """Raise the error of a wrong token, with which no request can succeed."""
    if isinstance(error, UnauthorizedError) and error.status == _NO_TOKEN:
        raise error


def _living(service: Tethermap, job_id: str | None) -> Job | None:
    """Return a job that is there and neither failed nor was canceled."""
    if job_id is None:
        return None
    try:
        job = service.job(job_id)
    except RefusedError as error:
        _stop_if_unauthorized(error)
        return None
    return None if job.dead else job


def _ranked(service: Tethermap, chosen: argparse.Namespace) -> int:
    rows = getattr(service, chosen.command)(chosen.job_id, **_given(chosen))
    return _show(rows, chosen, service.columns({"answers": "ExitAnswer", "exits": "ExitVector"}[chosen.command]))


def _rows(service: Tethermap, chosen: argparse.Namespace) -> int:
    filters = dict(_name_and_value(word, "COLUMN=VALUE") for word in chosen.filter)
    return _show(list(service.rows(chosen.job_id, chosen.table, **filters, **_given(chosen))), chosen, [])


def _compare(service: Tethermap, chosen: argparse.Namespace) -> int:
    pairs = list(service.compare(chosen.a, chosen.b, **_given(chosen)))
    if chosen.format != "json":
        pairs = [_flat(pair) for pair in pairs]
    return _show(pairs, chosen, list(chosen.shown))


def _flat(pair: Mapping[str, Any]) -> dict[str, Any]:
    flat = {name: value for name, value in pair.items() if not isinstance(value, Mapping)}
    return flat | {f"{side}.{name}": value for side in ("a", "b") for name, value in pair[side].items()}


def _degraders(service: Tethermap, chosen: argparse.Namespace) -> int:
    service.save("/api/degraders", chosen.output, format=chosen.output.suffix.lstrip("."), **_given(chosen))
    return _print(str(chosen.output))


def _tool_inputs(service: Tethermap, chosen: argparse.Namespace) -> int:
    file = chosen.output or Path(f"{chosen.stem}_{chosen.anchor}.zip")
    return _print(str(service.tool_inputs(chosen.job_id, chosen.stem, chosen.anchor, file, **_given(chosen))))


def _change(service: Tethermap, chosen: argparse.Namespace) -> int:
    """Cancel, retry or delete jobs."""

    def change(job_id: str) -> None:
        job = getattr(service, chosen.command)(job_id)
        _print(_sentence(job) if job else f"{job_id}  deleted")

    return _each(chosen.job_id, change)


def _each(
    ids: Sequence[str], action: Callable[[str], None], failures: Sequence[tuple[str, TethermapError]] = ()
) -> int:
    """Do an action for each job; failures are reported at the end, after earlier ones.

    Returns
    -------
    int
        Exit code of the first failure; 0 if there is none.
    """
    failures = list(failures)
    for job_id in ids:
        try:
            action(job_id)
        except NotAnsweredError:
            raise
        except TethermapError as error:
            _stop_if_unauthorized(error)
            failures.append((job_id, error))
    for name, error in failures:
        _complain(f"{name}: {error}", _code(error))
    return _code(failures[0][1]) if failures else DONE


def _show(rows: Sequence[Mapping[str, Any]], chosen: argparse.Namespace, known: Sequence[str]) -> int:
    """Print rows as a table, CSV or JSON; `known` are the columns of a table without rows."""
    there = list(rows[0]) if rows else list(known)
    columns = chosen.columns.split(",") if chosen.columns else None
    unknown = [name for name in columns or () if there and name not in there]
    if unknown:
        raise ValueError(f"There is no column {', '.join(unknown)}. The columns are {', '.join(there)}.")
    if chosen.format == "json":
        _print(json.dumps([{name: row[name] for name in columns or row} for row in rows], indent=1))
    elif chosen.format == "csv":
        writer = csv.DictWriter(sys.stdout, columns or there, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    else:
        shown = columns or [name for name in chosen.shown or there if name in there]
        table = [shown, *([_cell(row[name]) for name in shown] for row in rows)]
        widths = [max(len(row[place]) for row in table) for place in range(len(shown))]
        for row in table:
            _print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    return DONE


def _given(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the options of a command that are given; the shared ones and `--output` are not among them."""
    return {name: value for name in chosen.own if name != "output" and (value := getattr(chosen, name)) is not None}


# Following


def _follow(
    service: Tethermap,
    ids: Sequence[str],
    chosen: argparse.Namespace,
    failures: Sequence[tuple[str, TethermapError]] = (),
) -> int:
    """Show jobs, optionally at their end, and download their results; return the exit code."""
    jobs: list[Job] = []
    if code := _each(ids, lambda job_id: jobs.append(_followed(service, job_id, chosen)), failures):
        return code
    if any(job.dead for job in jobs):
        return FAILED
    return NOT_READY if any(job.status == UNAVAILABLE for job in jobs) else DONE


def _followed(service: Tethermap, job_id: str, chosen: argparse.Namespace) -> Job:
    """Show one job and download its results."""
    bar = _Bar(job_id)
    try:
        waits = chosen.wait or chosen.download
        job = service.wait(job_id, timeout=chosen.timeout, told=bar.job) if waits else service.job(job_id)
        bar.end()
        _print(json.dumps(dict(job.body), indent=1) if chosen.json else _sentence(job))
        if chosen.download and job.status == "completed":
            folder = service.download(job.job_id, chosen.download, told=bar.bytes, changed=_changed)
            bar.end()
            if not chosen.json:
                _print(str(folder))
    finally:
        bar.end()
    return job


def _changed(names: Sequence[str]) -> None:
    sys.stderr.write(f"Changed since the last download and written again: {', '.join(names)}\n")


class _Bar:
    """A line on a terminal that shows how far a job or a download is; nothing elsewhere."""

    def __init__(self, name: str) -> None:
        self._name = name

    def job(self, job: Job) -> None:
        entries = f", {job.entries_done} of {job.entries_found} entries" if job.entries_found else ""
        step = f" {job.step.replace('_', ' ')}" if job.step else f" {job.status}"
        self._show((job.percent or 0) / 100, f"{step}{entries}")

    def bytes(self, done: int, total: int) -> None:
        self._show(done / total if total else 0, f" {done / 1e6:.1f} of {total / 1e6:.1f} MB")

    def end(self, line: str = "") -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()

    def _show(self, share: float, says: str) -> None:
        full = round(_BAR * min(1.0, share))
        self.end(f"{self._name} [{'#' * full}{'.' * (_BAR - full)}] {share:4.0%}{says}"[:106])


def _sentence(job: Job) -> str:
    tail = f": {job.error}" if job.error else "" if job.status != "completed" or job.has_results else ": nothing kept"
    return f"{job.job_id}  {job.status}  {job.target_name}{tail}"


# Reading


def _name_and_value(word: str, form: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals:
        raise ValueError(f"{word!r} is not {form}.")
    return name, value


def _value(service: Tethermap, name: str, text: str) -> Any:
    """Return the value of an option: codes stay text, several are separated by ``;``."""
    kinds = service.schemas["NewJob"]["properties"]["options"]["properties"].get(name, {}).get("type", "string")
    if "array" in kinds:
        return json.loads(text) if text.startswith("[") else [part.strip() for part in text.split(";")]
    if "string" in kinds:
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def _jobs_of(service: Tethermap, file: Path) -> list[dict[str, Any]]:
    with file.open(encoding="utf-8-sig", newline="") as stream:
        return [_job_of_row(service, row) for row in csv.DictReader(stream)]


def _job_of_row(service: Tethermap, row: Mapping[str | Any, Any]) -> dict[str, Any]:
    """Return the job of a row: fields by their names, other columns as options."""
    if None in row:
        name = row.get("target_name") or row.get("search_query") or "the file"
        raise ValueError(f"The row of {name} has more cells than the header.")
    filled = {name: value.strip() for name, value in row.items() if value and value.strip()}
    job: dict[str, Any] = {name: value for name, value in filled.items() if name in _FIELDS}
    options = {name: _value(service, name, value) for name, value in filled.items() if name not in _FIELDS}
    return {**job, "options": options} if options else job


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:.2f}" if isinstance(value, float) else str(value)


def _print(text: str) -> int:
    """Print a text and return the exit code of success."""
    sys.stdout.write(f"{text}\n")
    return DONE


def _complain(error: object, code: int) -> int:
    sys.stderr.write(f"tethermap-client: {error}\n")
    return code


_COMMANDS: dict[str, Callable[[Tethermap, argparse.Namespace], int]] = {
    "submit": _submit, "upload": _upload, "list": _list, "status": _status, "batch": _batch, "sync": _sync,
    "answers": _ranked, "exits": _ranked, "rows": _rows, "compare": _compare, "degraders": _degraders,
    "tool-inputs": _tool_inputs, "cancel": _change, "retry": _change, "delete": _change,
}  # fmt: skip
