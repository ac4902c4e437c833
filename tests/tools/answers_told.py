"""Compares all presentations of a job's answers with the cells of Exit_Answers.csv."""

import csv
import html
import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from service.pages.places import MAX_PLACES, copy_view
from service.pages.render import environment
from service.results.answers import answers_of_copy
from service.results.tables import Database
from tethermap.base import layout, tables

Cells = dict[str, str]
Get = Callable[[str], str]
"""Gets the text of an address of the service."""

_TABLE = {"answer_atom": "anchor_atom", "answer_score": "score_median", "answer_way_out": "F_median",
          "answer_evidence": "evidence", "answer_seen": "observed"}  # fmt: skip


def problems_of_answers(job: Path, job_id: str, get: Get) -> Iterator[str]:
    """Yield differences of the API, the page, its table, its parts and the report from Exit_Answers.csv.

    Parameters
    ----------
    job : Path
        The job folder.
    job_id : str
        Its id on a service.
    get : callable
        Sends a request to that service.
    """
    answers = _rows((job / layout.EXIT_ANSWERS).read_text(encoding="utf-8"))
    leading = [row for row in answers if row["answer_rank"] == "1"]
    by_stem = {stem: row for row in leading for stem in row["stems"].split(";")}
    if _rows(get(f"/api/jobs/{job_id}/rows?table=answers&format=csv")) != answers:
        yield "the API's rows differ"
    columns = "entry,chain,ligand,residue,atom,open,evidence,score,way_out,seen,basis"
    yield from _table(_rows(get(f"/results/{job_id}/table.csv?columns={columns}")), by_stem)
    main = [row for row in leading if row["site"] == "main"]
    page = get(f"/results/{job_id}")
    cards = re.findall(r'<li class="place.*?</li>', page, re.DOTALL)
    yield from _cards([_text(card) for card in cards], sorted(main[:MAX_PLACES], key=_not_advised))
    report = get(f"/api/jobs/{job_id}/files/{layout.REPORT}")
    for name, wanted in (("Best places", False), ("Places that are not recommended", True)):
        section = re.search(rf'aria-label="{name}">.*?</table>', report, re.DOTALL)
        lines = re.findall(r"<tr><td>.*?</tr>", section[0], re.DOTALL) if section else []
        yield from _report([_text(line) for line in lines], [row for row in main if _not_advised(row) is wanted])
    yield from _parts(job, by_stem)


def _not_advised(row: Cells) -> bool:
    """Return whether an answer's own sentence recommends nothing."""
    return row["action"].startswith(("No good way out", "Open at")) or "Not recommended: " in row["action"]


def _name(row: Cells) -> str:
    return row["group_name"] or row["Warhead"]


def _rows(text: str) -> list[Cells]:
    return list(csv.DictReader(io.StringIO(text)))


def _text(part: str) -> str:
    """Return the visible text of a part of a page."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", part)).split())


def _opened(row: Cells) -> str:
    state = "seen" if row["kind"] == "observed" else "open"
    return f"{state} in {row['n_open']} of {row['n_copies']} {'copy' if row['n_copies'] == '1' else 'copies'}"


def _table(rows: list[Cells], by_stem: dict[str, Cells]) -> Iterator[str]:
    for row in rows:
        stem = f"{row['pdb_id']}_{row['Chain']}_{row['Warhead']}_{row['Residue_ID']}"
        answer = by_stem.get(stem)
        if answer is None:
            if row["answer_basis"] == "predicted":
                yield f"{stem}: the table has an answer that does not count this copy"
            continue
        told = {source: row[name] for name, source in _TABLE.items()}
        if told != {source: answer[source] for source in told}:
            yield f"{stem}: the table has {told}"
        if row["answer_open"] != f"{answer['n_open']} of {answer['n_copies']}":
            yield f"{stem}: the table has {row['answer_open']}"


def _cards(cards: list[str], answers: list[Cells]) -> Iterator[str]:
    for card, row in zip(cards, answers, strict=False):
        parts = [_name(row), row["anchor_atom"], row["action"], _opened(row), f"evidence {row['evidence']}"]
        yield from (f"the page's place of {row['Warhead']} lacks {part}" for part in parts if part not in card)
    if len(cards) < min(len(answers), 10):
        yield f"the page has {len(cards)} of {len(answers)} places"


def _report(lines: list[str], answers: list[Cells]) -> Iterator[str]:
    for line, row in zip(lines, answers, strict=False):
        told = f"{row['n_open']} of {row['n_copies']} {row['n_entries_open']} of {row['n_entries']} {row['observed']}"
        start = f"{_name(row)} {row['action']}"
        if not line.startswith(start) or told not in line or not line.endswith(row["protein"]):
            yield f"the report has {line}"
    if len(lines) < min(len(answers), 10):
        yield f"the report has {len(lines)} of {len(answers)} places"


def _parts(job: Path, by_stem: dict[str, Cells]) -> Iterator[str]:
    """Yield the differences of the page of single copies."""
    reader = Database().of(job)
    macro = environment().get_template("results/parts.html.j2").module.copy_answer  # type: ignore[attr-defined]
    for row in tables.read_table(job / tables.RESULTS_TABLE.path, tables.RESULTS_TABLE):
        stem = str(row["stem"])
        known = answers_of_copy(reader, row)
        told = _text(str(macro(copy_view(known, row, []), [], stem, "/results/x")))
        answer = by_stem.get(stem)
        if answer is None:
            if known.counted or (known.rows and "This copy is not counted" not in told and not known.observed):
                yield f"{stem}: the page of the copy counts it"
        elif any(part not in told for part in (answer["action"], _opened(answer), f"evidence {answer['evidence']}")):
            yield f"{stem}: the page of the copy has {told}"
