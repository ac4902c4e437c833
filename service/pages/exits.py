"""Exit sites of one ligand for a chemist: position, reaction, and reasons."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from service.pages.depiction import step
from service.pages.texts import TEXTS
from service.results.answers import several
from service.results.tables import number
from tethermap.base.contexts import CONTEXTS
from tethermap.base.reasons import EVIDENCE_GRADES, EXIT_EVIDENCE, EXIT_REASONS
from tethermap.base.tables import Row, by_key
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
    sites = by_key((str(row["site_id"]), _anchor(row)) for row in ranked)
    return [{**anchors[0], "anchors": anchors} for anchors in sites.values()]


def reason_without_sites(rows: Sequence[Row]) -> str:
    """Return why a ligand has no site at all."""
    codes = [str(row.get("reason") or "") for row in rows]
    return next((EXIT_REASONS[code] for code in codes if code in EXIT_REASONS), "")


def _anchor(row: Row) -> dict[str, Any]:
    room, way, prior, lost = (number(row, name) or 0.0 for name in ("E", "F", "prior", "area_lost_A2"))
    chem_class, grade = (str(row.get(name) or "") for name in ("chem_class", "evidence"))
    beyond = {name: tuple(number(row, f"{term}_{name}") for term in "EF") for name in CONTEXTS[-2:]}
    wider = {name: (there, free) for name, (there, free) in beyond.items() if there is not None and free is not None}
    is_open = min(room, way) >= OPEN_FROM
    return {
        "atom": str(row["anchor_atom"]),
        "index": row["sdf_index"],
        "rank": row["rank"],
        "site_rank": row["site_rank"],
        "same": several(row, "anchor_equivalents"),
        "action": _action(row),
        "how": CHEMISTRY.get(chem_class, chem_class),
        "usual": chem_class != UNUSUAL,
        "needs_handle": CHEMISTRY.get(chem_class, "").startswith("needs a handle"),
        "score": number(row, "score"),
        "closed": row.get("closed") is True,
        "open": is_open,  # a closed one has no room or no way out in all contexts, an open one where others shut it
        "closed_in": [name for name in wider if min(wider[name]) < OPEN_FROM] if is_open else list(CONTEXTS),
        "leaving_atoms": several(row, "leaving_atoms"),
        "vector": [number(row, f"vector_{axis}") for axis in "xyz"],
        "terms": [
            _term("room", in_words(room, ROOM), room / FULL_ROOM, room=percent(room), full=percent(FULL_ROOM)),
            _term("way_out", in_words(way, WAY), way, way=percent(way)),
            _term("chemistry", in_words(prior, PRIOR), prior, group=chem_class),
            _term("given_up", in_words(lost, LOST), lost / 200, area=f"{lost:.0f}"),
        ],
        "warnings": _warnings(row, room + way, wider),
        "grade": grade,
        "grade_says": EVIDENCE_GRADES.get(grade, ""),
    }


def _term(key: str, word: str, share: float, **values: str) -> dict[str, Any]:
    """Return a term of the score as a gauge in steps of five percent, with its explanation."""
    says = _T.term_help[key].plain(**values)
    return {"key": key, "name": _T.terms[key], "word": word, "share": step(share), "says": says}


def _action(row: Row) -> str:
    leaving = several(row, "leaving_atoms")
    if row.get("kind") == "unseen":
        return str(_T.replaces_unmodelled)
    if row.get("kind") != "cut" or not leaving:
        return str(_T.replaces_hydrogen)
    return str(_T.replaces.plain(atoms=listed(leaving)))


def _warnings(row: Row, room_and_way: float, wider: Mapping[str, tuple[float, float]]) -> list[str]:
    flags = {"closed": _T.warn_closed, "incomplete": _T.warn_incomplete}
    sentences = [text for name, text in flags.items() if row.get(name) is True]
    codes = [code for code in several(row, "evidence_reasons") if code not in _SAID_ELSEWHERE]
    sentences += [EXIT_EVIDENCE[code].sentence for code in codes if code in EXIT_EVIDENCE]
    for name, text in (("hbonds_lost", _T.warn_bonds_of_group), ("hbonds_anchor", _T.warn_bonds_of_atom)):
        if bonds := number(row, name):
            sentences.append(text.plain(n=f"{bonds:.0f}"))
    for context, text in (("assembly", _T.warn_narrower_in_assembly), ("crystal", _T.warn_narrower_in_crystal)):
        there, free = wider.get(context, (math.inf, math.inf))
        if room_and_way - there - free > _NARROWER:
            sentences.append(text.plain(room=percent(there), way=percent(free)))
    return sentences


_NARROWER = 0.15
"""Loss of room and way out together, as fractions, that is worth a word."""


def percent(share: float) -> str:
    """Return a fraction as whole percent."""
    return f"{100 * share:.0f}"
