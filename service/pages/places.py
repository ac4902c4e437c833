"""The answer at the top of the results page, and the contribution of each copy of a ligand."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from service.addresses import address, serves
from service.pages.texts import TEXTS
from service.results.answers import Answers, CopyAnswers, is_seen, names_of_exit, several
from service.results.tables import number
from tethermap.base.reasons import EVIDENCE_GRADES, EXIT_EVIDENCE, OBSERVED_REASONS
from tethermap.base.tables import Row
from tethermap.exits.words import MUCH_GIVEN_UP, OPEN_FROM, affinity_text, is_advised, published_text

SHOWN_PLACES = 6
"""Places that are seen at once; the others unfold."""

MAX_PLACES = 24
"""Maximum number of answers on the page; the table contains all."""

NOT_SEEN_TOGETHER: str = TEXTS.compare.not_seen_together
"""Advice on linkers for pairs without a ternary entry.

Measured between the bonds that the authors of 5T35, 6HAX, 6HAY, 6HR2, 7S4E, 7Z6L, 7Z76, 7Z77, 7ZNT, 8BDT and 8BEB cut.
"""

_T = TEXTS.ligand


def best_places(answers: Answers, titles: Mapping[str, str], here: str) -> list[dict[str, Any]]:
    """Return the places that the page opens with, by their rank in the job.

    Parameters
    ----------
    answers : Answers
        Answers of the job.
    titles : mapping of str to str
        Names of ligands by instance.
    here : str
        Address of the page.
    """
    several_groups = len({row["group"] for row in answers.places}) > 1
    places = []
    for row in answers.places[:MAX_PLACES]:
        links = links_of(str(row["best_stem"]), names_of_exit(row), here)
        where = str(row["protein"] or row["group"]) if several_groups else ""
        places.append({**answer_view(row), **links, "name": titles.get(str(row["best_stem"]), ""), "where": where})
    return places


def links_of(stem: str, anchors: Sequence[str], here: str) -> dict[str, str]:
    """Return where an exit of one copy is shown, its picture, and its place on the design board.

    Parameters
    ----------
    stem : str
        The copy.
    anchors : sequence of str
        The anchor and those that are the same by symmetry.
    here : str
        Address of the job's page.
    """
    design = urlencode({"a_job": here.rpartition("/")[2], "a_stem": stem, "a_anchor": anchors[0]})
    return {
        "stem": stem,
        "anchor": anchors[0],
        "design": address(f"/degraders?{design}") if serves("/degraders") else "",
        "url": f"{here}?{urlencode({'row': stem, 'atom': anchors[0]})}#instance",
        "picture": f"{here}/picture/{stem}?{urlencode({'style': 'exits', 'exits': ','.join(anchors)})}",
    }


def answer_view(row: Row) -> dict[str, Any]:
    """Return a row of Exit_Answers in words."""
    seen = is_seen(row)
    reasons = [EXIT_EVIDENCE[code].sentence for code in several(row, "evidence_reasons") if code in EXIT_EVIDENCE]
    return {
        "row": row,
        "ligand": row.get("group_name") or row["Warhead"],
        "entry": str(row.get("best_stem") or "").split("_")[0].upper(),
        "advised": is_advised(row),
        "affinity": affinity_text(row),
        "published": published_text(row),
        "seen": seen,
        "same": several(row, "anchor_equivalents"),
        "seen_in": [entry.upper() for entry in several(row, "observed_entries")],
        "grade_says": " ".join(reasons) or _grade_sentence(row, seen=seen),
    }


def _grade_sentence(row: Row, *, seen: bool) -> str:
    """Return a grade in words; never that there are no doubts where much of the binding is given up."""
    if (number(row, "area_lost_A2") or 0.0) >= MUCH_GIVEN_UP and row["evidence"] == "A":
        return str(_T.clear_but_loses)
    words = (_T.observed_grades if seen else EVIDENCE_GRADES).get(str(row["evidence"]), "")
    return f"{words[0].upper()}{words[1:]}." if words else ""


def copy_view(known: CopyAnswers, row: Row, exits: Sequence[Row]) -> dict[str, Any]:
    """Return the page's text on the ligand of one copy, and on this copy.

    Parameters
    ----------
    known : CopyAnswers
        The answers of its ligand.
    row : mapping
        The copy in Results_Display.
    exits : sequence of mapping
        Its rows of Exit_Vectors.
    """
    ranked = sorted((one for one in exits if number(one, "rank") is not None), key=lambda one: number(one, "rank") or 0)
    lead = known.rows[0] if known.rows else None
    return {
        "lead": answer_view(lead) if lead is not None else None,
        "more": [answer_view(one) for one in known.rows[1:4]],
        "why_not": _why_not(row) if lead is not None and not known.counted else "",
        "here": _said_here(lead, ranked) if lead is not None and known.counted and not is_seen(lead) else "",
        "observed": [
            {
                "row": one,
                "others": [
                    _T.atom_by.plain(atom=atom, linker_atom=linker_atom)
                    for atom, _, linker_atom in (pair.partition("-") for pair in several(one, "alternatives"))
                ],
                "grade_says": _T.observed_grades.get(str(one["grade"]), ""),
                "reason": OBSERVED_REASONS.get(str(one["reason"] or ""), ""),
            }
            for one in known.observed
        ],
    }


def _why_not(row: Row) -> str:
    flag = next((flag for flag in _T.why_not_counted if flag in several(row, "flags")), "")
    return str(_T.why_not_counted[flag or ("alone" if row.get("site") in ("main", "", None) else "other_site")])


def _said_here(lead: Row, ranked: Sequence[Row]) -> str:
    """Return the deviation of one copy from the answer over all."""
    anchors = set(names_of_exit(lead))
    own = next((one for one in ranked if anchors & set(names_of_exit(one))), None)
    if own is None:
        return str(_T.copy_without_exit)
    if (number(lead, "n_copies") or 0) < 2:
        return ""
    first, is_open = ranked[0], _is_open(own)
    if own is first:
        return str(_T.copy_agrees if is_open else _T.copy_agrees_blocked)
    text = _T.copy_differs if _is_open(first) else _T.copy_differs_blocked
    return str(text.plain(state=_T.state_open if is_open else _T.state_blocked, atom=first["anchor_atom"]))


def _is_open(row: Row) -> bool:
    return min(number(row, "E") or 0.0, number(row, "F") or 0.0) >= OPEN_FROM


def unmatched_notice(entries: Sequence[Row]) -> str:
    """Return what to do when most entries of a job, or all, show no sign of its target; empty otherwise.

    Parameters
    ----------
    entries : sequence of mapping
        Rows of Entry_Status.
    """
    told = Counter(str(row["target_match"]) for row in entries if row.get("target_match"))
    lost = told["unmatched"] + told["none"]
    total = sum(told.values())
    if not total or lost <= total / 2:
        return ""
    text = TEXTS.results.none_matched if lost == total else TEXTS.results.some_unmatched
    return str(text.plain(lost=lost, total=total))
