"""Exit sites of one ligand for a chemist: position, reaction, and reasons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from service.pages.texts import TEXTS
from service.results.answers import several
from service.results.tables import number
from tethermap.base.contexts import CONTEXTS
from tethermap.base.reasons import EVIDENCE_GRADES, EXIT_EVIDENCE, EXIT_REASONS
from tethermap.base.tables import Row
from tethermap.exits.words import CHEMISTRY, FULL_ROOM, LOST, OPEN_FROM, PRIOR, ROOM, UNUSUAL, WAY, in_words, listed

SHOWN = (
    *("rank", "site_rank", "site_id", "anchor_atom", "anchor_equivalents", "kind", "leaving_atoms", "chem_class", "E"),
    *("F", "prior", "area_lost_A2", "score", "closed", "vector_x", "vector_y", "vector_z", "hbonds_lost"),
    *("hbonds_anchor", "E_assembly", "F_assembly", "E_crystal", "F_crystal", "incomplete", "reason", "sdf_index"),
    *("evidence", "evidence_reasons"),
)
"""Columns of Exit_Vectors that pages read."""

_T = TEXTS.ligand
_SAID_ELSEWHERE = ("closed", "assembly_in_way", "crystal_in_way")


def exit_sites(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the sites of one ligand, best first, each with its anchors.

    Parameters
    ----------
    rows : sequence of mapping
        Rows of the exits table of one instance.
    """
    ranked = sorted((row for row in rows if number(row, "rank") is not None), key=lambda row: number(row, "rank") or 0)
    sites: dict[str, list[Row]] = {}
    for row in ranked:
        sites.setdefault(str(row["site_id"]), []).append(row)
    return [_site(anchors) for anchors in sites.values()]


def reason_without_sites(rows: Sequence[Row]) -> str:
    """Return why a ligand has no site at all."""
    codes = [str(row.get("reason") or "") for row in rows]
    return next((EXIT_REASONS[code] for code in codes if code in EXIT_REASONS), "")


def _site(rows: Sequence[Row]) -> dict[str, Any]:
    anchors = [_anchor(row) for row in rows]
    return {**anchors[0], "site_rank": rows[0]["site_rank"], "anchors": anchors}


def _anchor(row: Row) -> dict[str, Any]:
    room, way, prior, lost = (number(row, name) or 0.0 for name in ("E", "F", "prior", "area_lost_A2"))
    chem_class = str(row.get("chem_class") or "")
    return {
        "atom": str(row["anchor_atom"]),
        "index": row["sdf_index"],
        "rank": row["rank"],
        "same": several(row, "anchor_equivalents"),
        "action": _action(row),
        "how": CHEMISTRY.get(chem_class, chem_class),
        "usual": chem_class != UNUSUAL,
        "needs_handle": CHEMISTRY.get(chem_class, "").startswith("needs a handle"),
        "score": number(row, "score"),
        "closed": row.get("closed") is True,
        "open": min(room, way) >= OPEN_FROM,
        "closed_in": _closed_in(row, room, way),
        "leaving_atoms": several(row, "leaving_atoms"),
        "vector": [number(row, f"vector_{axis}") for axis in "xyz"],
        "terms": [
            _term("room", in_words(room, ROOM), room / FULL_ROOM, room=percent(room), full=percent(FULL_ROOM)),
            _term("way_out", in_words(way, WAY), way, way=percent(way)),
            _term("chemistry", in_words(prior, PRIOR), prior, group=chem_class),
            _term("given_up", in_words(lost, LOST), lost / 200, area=f"{lost:.0f}"),
        ],
        "warnings": _warnings(row, room, way),
        "grade": str(row.get("evidence") or ""),
        "grade_says": EVIDENCE_GRADES.get(str(row.get("evidence") or ""), ""),
    }


def _closed_in(row: Row, room: float, way: float) -> list[str]:
    """Return the contexts in which an exit has no room or no way out: all, or those where partners or mates shut it."""
    if min(room, way) < OPEN_FROM:
        return list(CONTEXTS)
    closed = []
    for context in CONTEXTS[-2:]:
        there, free = number(row, f"E_{context}"), number(row, f"F_{context}")
        if there is not None and free is not None and min(there, free) < OPEN_FROM:
            closed.append(context)
    return closed


def _term(key: str, word: str, share: float, **values: str) -> dict[str, Any]:
    """Return a term of the score as a gauge in steps of five percent, with its explanation."""
    says = _T.term_help[key].plain(**values)
    share = round(20 * min(max(share, 0.0), 1.0)) * 5
    return {"key": key, "name": _T.terms[key], "word": word, "share": share, "says": says}


def _action(row: Row) -> str:
    leaving = several(row, "leaving_atoms")
    if row.get("kind") == "unseen":
        return str(_T.replaces_unmodelled)
    if row.get("kind") != "cut" or not leaving:
        return str(_T.replaces_hydrogen)
    return str(_T.replaces.plain(atoms=listed(leaving)))


def _warnings(row: Row, room: float, way: float) -> list[str]:
    sentences = []
    if row.get("closed") is True:
        sentences.append(_T.warn_closed)
    if row.get("incomplete") is True:
        sentences.append(_T.warn_incomplete)
    codes = [code for code in several(row, "evidence_reasons") if code not in _SAID_ELSEWHERE]
    sentences += [EXIT_EVIDENCE[code].sentence for code in codes if code in EXIT_EVIDENCE]
    lost, own = number(row, "hbonds_lost") or 0, number(row, "hbonds_anchor") or 0
    if lost:
        sentences.append(_T.warn_bonds_of_group.plain(n=f"{lost:.0f}"))
    if own:
        sentences.append(_T.warn_bonds_of_atom.plain(n=f"{own:.0f}"))
    for context, text in (("assembly", _T.warn_narrower_in_assembly), ("crystal", _T.warn_narrower_in_crystal)):
        there, free = number(row, f"E_{context}"), number(row, f"F_{context}")
        if there is not None and free is not None and room + way - there - free > _NARROWER:
            sentences.append(text.plain(room=percent(there), way=percent(free)))
    return sentences


_NARROWER = 0.15
"""Loss of room and way out together, as fractions, that is worth a word."""


def percent(share: float) -> str:
    """Return a fraction as whole percent."""
    return f"{100 * share:.0f}"
