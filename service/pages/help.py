"""Content of the help page: the words of the answers."""

from collections.abc import Sequence
from typing import Any

from service.pages.places import NOT_SEEN_TOGETHER
from service.pages.texts import TEXTS
from tethermap.base.reasons import EVIDENCE_GRADES, EXIT_EVIDENCE, GLOSSARY
from tethermap.exits.words import CHEMISTRY, FULL_ROOM, OPEN_FROM, PRIOR, ROOM, WAY
from tethermap.fit.limits import limit


def help_values() -> dict[str, Any]:
    """Return the values of the help page."""
    return {
        "chemistry": CHEMISTRY,
        "not_seen_together": NOT_SEEN_TOGETHER,
        "doubts": EXIT_EVIDENCE,
        "glossary": GLOSSARY,
        "grades": EVIDENCE_GRADES,
        "words": _words,
        "room": ROOM,
        "way": WAY,
        "prior": PRIOR,
        "open_from": f"{100 * OPEN_FROM:.0f} %",
        "full_room": f"{100 * FULL_ROOM:.0f} %",
        "rscc": limit("rscc_poor"),
        "rsr": limit("rsr_poor"),
    }


def _words(scale: Sequence[tuple[float, str]]) -> str:
    """Return a scale as text: ``from 35 % wide open, below 35 % …``; the scale of the prior has plain numbers."""
    *upper, (_, last) = scale
    bounds = {word: f"{bound:g}" if scale is PRIOR else f"{100 * bound:.0f} %" for bound, word in upper}
    words = [TEXTS.help.from_bound.plain(bound=bound, word=word) for word, bound in bounds.items()]
    return ", ".join([*words, TEXTS.help.below_bound.plain(bound=bounds[upper[-1][1]], word=last)])
