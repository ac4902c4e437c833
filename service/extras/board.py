"""Design board: exits of a target against exits of a recruiter, the pinned pairs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from markupsafe import Markup

from service.addresses import address
from service.errors import InvalidParameter
from service.extras.pairs import Half, ternary_pairs
from service.pages.depiction import exits_drawing
from service.pages.places import answer_view, links_of
from service.pages.sheet import SheetPair, sheet_svg
from service.pages.texts import TEXTS
from service.results.answers import is_blocked, is_seen, names_of_exit, several
from service.results.tables import number
from tethermap.base import tables
from tethermap.extras.protac.linker_length import shortest_linker

_T = TEXTS.board

ROWS, COLUMNS = 6, 5
"""Exits of the target and of the recruiter on the board, besides the pinned and the selected ones."""

MOST_PINS, MOST_NOTE = 6, 140
"""Maximum number of pinned pairs, and of characters of a note: they are kept in the address."""


class Pair(NamedTuple):
    """An exit of each side: instances and attachment atoms."""

    a_stem: str
    a_anchor: str
    b_stem: str
    b_anchor: str


def read_pins(pins: Sequence[str], notes: Sequence[str]) -> dict[Pair, str]:
    """Return the pinned pairs of an address with their notes.

    Parameters
    ----------
    pins : sequence of str
        Four words each: instance and attachment atom of the target, and of the recruiter.
    notes : sequence of str
        In the order of `pins`; cut off after `MOST_NOTE` characters.

    Raises
    ------
    InvalidParameter
        If a pin does not have four words.

    >>> read_pins(["6duv_A_0S6_501 C23 5t35_D_759_301 CBT"], ["first to make"])
    {Pair(a_stem='6duv_A_0S6_501', a_anchor='C23', b_stem='5t35_D_759_301', b_anchor='CBT'): 'first to make'}
    """
    found = {}
    for place, pin in enumerate(pins):
        words = pin.split(" ")
        if len(words) != len(Pair._fields):
            message = "A pin needs four words: ligand and atom of the target, ligand and atom of the recruiter."
            raise InvalidParameter(message, parameter="pin")
        found[Pair(*words)] = notes[place][:MOST_NOTE] if place < len(notes) else ""
    return found


@dataclass(frozen=True)
class Board:
    """Both halves of a board, with the selection and the pins of its address.

    Parameters
    ----------
    halves : sequence of Half
        The target's and the recruiter's answers.
    chosen : Pair
        The selected pair; its words are empty if none is selected.
    pins : mapping of Pair to str
        The pinned pairs with their notes.
    linkers : str
        Class of linkers; empty for all.
    """

    halves: Sequence[Half]
    chosen: Pair
    pins: Mapping[Pair, str]
    linkers: str = ""

    def address(self, chosen: Pair | None = None, pins: Mapping[Pair, str] | None = None) -> str:
        """Return the address of the board with another selection or other pins."""
        kept = self.pins if pins is None else pins
        named = zip(("a_job", "b_job"), (half.job.record.job_id for half in self.halves), strict=True)
        asked = [*named, *((chosen or self.chosen)._asdict().items()), ("linker_class", self.linkers)]
        for pin, note in kept.items():
            asked += [("pin", " ".join(pin)), ("note", note)]
        query = urlencode([(name, value) for name, value in asked if value or name == "note"])
        return address(f"/degraders?{query}")

    def swapped(self) -> str:
        """Return the address of the board with the target as the recruiter, and the reverse, without pins."""
        pair = Pair(*self.chosen[2:], *self.chosen[:2])
        return replace(self, halves=self.halves[::-1], chosen=pair, pins={}).address()

    def toggled(self, pair: Pair) -> str:
        """Return the address of the board with a pair pinned, or without its pin."""
        others = {pin: note for pin, note in self.pins.items() if pin != pair}
        return self.address(pins=others if pair in self.pins else {**others, pair: ""})

    def view(self) -> dict[str, Any]:
        """Return the board's matrix and pinned pairs for a page."""
        rows, columns = (self._shown(side) for side in (0, 1))
        lines = []
        for i, one in rows.items():
            cells = [self._cell((i, j), one, other) for j, other in columns.items()]
            lines.append({"end": one, "cells": cells})
        full = len(self.pins) >= MOST_PINS
        return {"columns": [*columns.values()], "lines": lines, "pins": list(self.pinned()), "full": full}

    @cached_property
    def _distances(self) -> dict[tuple[int, int], float]:
        """Distances of the pairs of answers that one ternary entry shows, by their places in the answers."""
        return ternary_pairs(*self.halves)

    def _shown(self, side: int) -> dict[int, dict[str, Any]]:
        """Return the exits of one side by their places in its answers: those of ternaries first, then the best."""
        answers, seen = self.halves[side].answers, {pair[side] for pair in self._distances}
        wanted = {pair[2 * side : 2 * side + 2] for pair in (self.chosen, *self.pins)}
        order = sorted(range(len(answers)), key=lambda k: (k not in seen, not is_seen(answers[k]), k))
        kept = [k for n, k in enumerate(order) if n < (ROWS, COLUMNS)[side] or _keys(answers[k]) & wanted]
        return {k: _end(self.halves[side], k) for k in kept}

    def _cell(self, places: tuple[int, int], one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
        pair, distance = Pair(*one["key"], *other["key"]), self._distances.get(places)
        a, b = (f"{end['ligand']} {end['anchor']}" for end in (one, other))
        return {
            "pair": pair,
            "url": self.address(chosen=pair),
            "pin": self.toggled(pair),
            "pinned": pair in self.pins,
            "chosen": pair == self.chosen,
            "distance": distance,
            "linker": None if distance is None else shortest_linker(distance),
            "blocked": one["blocked"] or other["blocked"],
            "says": _T.pair.plain(a=a, b=b),
        }

    def pinned(self) -> Iterator[dict[str, Any]]:
        """Yield the pinned pairs, each as a cell with both exits, its note and its files."""
        for pin, note in self.pins.items():
            keys = (pin[:2], pin[2:])
            i, j = (_place_of(half, key) for half, key in zip(self.halves, keys, strict=True))
            ends = [_end(*side) for side in zip(self.halves, (i, j), keys, strict=True)]
            yield {**self._cell((i, j), *ends), "ends": ends, "note": note, **self.files(pin)}

    def files(self, pair: Pair) -> dict[str, str]:
        """Return the addresses of the molecules of a pair and of its inputs for programs."""
        jobs = [half.job.record.job_id for half in self.halves]
        linkers = {"linker_class": self.linkers} if self.linkers else {}
        asked = urlencode({"a_job": jobs[0], "b_job": jobs[1], **pair._asdict(), **linkers})
        other = urlencode({"other": jobs[1], "other_stem": pair.b_stem, "other_anchor": pair.b_anchor})
        of_a = f"stem={quote(pair.a_stem)}&anchor={quote(pair.a_anchor)}"
        return {
            "sdf": address(f"/api/degraders?{asked}&format=sdf"),
            "csv": address(f"/api/degraders?{asked}&format=csv"),
            "inputs": f"{self.halves[0].job.base}/protac-inputs?{of_a}&{other}",
        }

    def sheet(self) -> Markup:
        """Return the pinned pairs as one drawing with their notes."""
        names = [half.job.record.target_name for half in self.halves]
        pairs = []
        for pinned in self.pinned():
            drawings = []
            for half, end in zip(self.halves, pinned["ends"], strict=True):
                rows = half.job.tables.rows(tables.RESULTS_TABLE, "WHERE stem = ?", [end["stem"]])
                drawings.append(exits_drawing(half.job.folder, rows[0], [end["anchor"]]) if rows else None)
            actions = [end["action"] for end in pinned["ends"]]
            pairs.append(SheetPair(pinned["says"], together(pinned), actions, pinned["note"], drawings))
        return sheet_svg(_T.pair.plain(a=names[0], b=names[1]), pairs)


def together(cell: Mapping[str, Any]) -> str:
    """Return a sentence on the distance of the two exits of a pair."""
    if cell["distance"] is None:
        return str(_T.apart_unknown)
    return str(_T.apart.plain(distance=f"{cell['distance']:.1f}", n=cell["linker"]))


def _keys(row: Mapping[str, Any]) -> set[tuple[str, str]]:
    return {(str(stem), name) for stem in (row["best_stem"], *several(row, "stems")) for name in names_of_exit(row)}


def _place_of(half: Half, key: tuple[str, ...]) -> int:
    """Return the place of an exit's answer; -1 if there is none."""
    return next((k for k, row in enumerate(half.answers) if key in _keys(row)), -1)


def _bare(stem: str, anchor: str) -> Mapping[str, Any]:
    """Return a row with only the names of an exit that has no answer."""
    name = (stem.split("_")[2:] or [stem])[0]
    blank = dict.fromkeys(tables.EXIT_ANSWERS.names)
    return {**blank, "best_stem": stem, "anchor_atom": anchor, "Warhead": name, "n_copies": 0}


def _end(half: Half, place: int, key: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return an exit for a page: its drawing, names, and whether it is blocked."""
    row = half.answers[place] if place >= 0 else _bare(*key)
    stem, anchor = key or (str(row["best_stem"]), str(row["anchor_atom"]))
    view = answer_view(row)
    return {
        **links_of(stem, [anchor, *(name for name in names_of_exit(row) if name != anchor)],
                   address(f"/results/{half.job.record.job_id}")),
        "key": (stem, anchor),
        "ligand": view["ligand"],
        "entry": stem.split("_")[0].upper(),
        "action": f"{str(row['action'] or '').partition('. ')[0].removesuffix('.')}.".removeprefix("."),
        "seen": view["seen_in"] if number(row, "observed") else [],
        "blocked": bool(row["n_copies"]) and not is_seen(row) and is_blocked(row),
    }  # fmt: skip
