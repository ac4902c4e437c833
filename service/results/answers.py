"""Answers about a ligand's exits over all copies, and observed exits: rows of the tables for pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from service.results.tables import JobTables, number
from tethermap.base import tables
from tethermap.base.reasons import MAIN
from tethermap.base.tables import AFFINITY_CELLS, JOINED, PUBLISHED_CELLS, Column, Row, Value
from tethermap.exits.words import MOSTLY

ANSWER_COLUMNS = (
    *(Column(f"answer_{name}") for name in ("atom", "evidence", "open", "entries_open", "basis")),
    *(Column(f"answer_{name}", "number", 4) for name in ("score", "way_out", "open_share")),
    Column("answer_seen", "integer"),
)
"""Columns of each instance: the answer of its ligand in its binding site, or the observed exit of a ligand between two
proteins."""


def several(row: Row, name: str) -> list[str]:
    """Return the values of a cell with several values."""
    return [part for part in str(row.get(name) or "").split(JOINED) if part]


def names_of_exit(row: Row) -> list[str]:
    """Return the anchor of an exit or answer and those that are the same by symmetry."""
    return [str(row["anchor_atom"]), *several(row, "anchor_equivalents")]


SHOWN = (
    *("protein", "site", "site_residue", "Warhead", "InChIKey", "anchor_atom", "anchor_equivalents", "action", "kind"),
    *("chem_class", "n_copies", "n_open", "n_entries", "n_entries_open", "F_median", "score_median", "observed"),
    *("observed_entries", "evidence", "evidence_reasons", "best_stem", "stems", "group", "area_lost_A2"),
    *("not_recommended", "best_resolution", "best_title", "group_name", "confidence"),
    *(*AFFINITY_CELLS, *PUBLISHED_CELLS),
)
"""Columns of Exit_Answers that pages read: each takes time."""


@dataclass(frozen=True, slots=True)
class Answers:
    """The best answer of each ligand and binding site; of degraders, where their linker was seen to leave.

    Parameters
    ----------
    leading : sequence of mapping
        Rows of Exit_Answers of rank 1, in its order: by their rank in the job, then those of other sites.
    """

    leading: Sequence[Row]
    cells: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    """Values of `ANSWER_COLUMNS` by instance, of those that are part of an answer."""

    @classmethod
    def of(cls, reader: JobTables) -> Answers:
        """Return those of a job; none of a job without the tables."""
        leading = reader.rows(tables.EXIT_ANSWERS, "WHERE answer_rank = 1", (), SHOWN)
        return cls(leading, {stem: one for row in leading for one in (_cells(row),) for stem in several(row, "stems")})

    @property
    def places(self) -> list[Row]:
        """The best place of each ligand in a main binding site, by its rank in the job."""
        return [row for row in self.leading if row["site"] == MAIN]


def _cells(row: Row) -> dict[str, Value]:
    opened, copies = number(row, "n_open") or 0.0, number(row, "n_copies") or 0.0
    return {
        "answer_atom": row["anchor_atom"],
        "answer_score": row["score_median"],
        "answer_way_out": row["F_median"],
        "answer_evidence": row["evidence"],
        "answer_open": f"{opened:.0f} of {copies:.0f}",
        "answer_open_share": opened / copies if copies else None,
        "answer_entries_open": f"{row['n_entries_open']} of {row['n_entries']}",
        "answer_seen": row["observed"],
        "answer_basis": "observed" if is_seen(row) else "predicted",
    }


def is_seen(row: Row) -> bool:
    """Return whether an answer is where the linker of a degrader was seen to leave, rather than predicted."""
    return row["kind"] == "observed"


def is_blocked(row: Row) -> bool:
    """Return whether an answer has no room or no way out in more than half of the copies."""
    return (number(row, "n_open") or 0) < MOSTLY * (number(row, "n_copies") or 0)


@dataclass(frozen=True, slots=True)
class CopyAnswers:
    """Answers about the ligand of one copy.

    Parameters
    ----------
    rows : sequence of mapping
        Answers of its ligand in its binding site, the best first.
    counted : bool
        Whether the copy is one of those that the answers are made of.
    observed : sequence of mapping
        Its rows of Observed_Exits, that of the target's side first.
    """

    rows: Sequence[Row]
    counted: bool
    observed: Sequence[Row]


def answers_of_copy(reader: JobTables, row: Row) -> CopyAnswers:
    """Return the answers about the ligand of a copy.

    Parameters
    ----------
    reader : JobTables
        Result tables of the job.
    row : mapping
        The copy in Results_Display.
    """
    stem = str(row["stem"])
    rows = reader.rows(tables.EXIT_ANSWERS, "WHERE Warhead = ?", [row["Warhead"]], SHOWN)
    own = [answer for answer in rows if stem in several(answer, "stems")]
    observed = reader.rows(tables.OBSERVED_EXITS, "WHERE stem = ?", [stem])
    observed.sort(key=lambda seen: seen["side"] != "target")
    if own or observed:
        return CopyAnswers(own, bool(own), observed)
    placed = reader.rows(tables.SUPERPOSITION, "WHERE stem = ?", [stem], ["group"])
    group = placed[0]["group"] if placed else None
    same = [a for a in rows if a["group"] == group and a["InChIKey"] == row.get("InChIKey")]
    here = [answer for answer in same if answer["site"] == row.get("site")]
    return CopyAnswers(here or [answer for answer in same if answer["site"] == MAIN], False, ())
