"""What a ligand is called: the common name of a drug before its systematic one."""

from __future__ import annotations

import re
from collections.abc import Sequence

_BOUND = re.compile(r",? *\(?(?:bound|bound form)\)?$", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z][A-Za-z-]{4,}")
_WORDS = re.compile(r"[A-Za-z][A-Za-z'-]*(?: [A-Za-z][A-Za-z'-]*){1,2}")
_CODE = re.compile(r"[A-Za-z][A-Za-z0-9., -]{2,13}")
_NO_NAME = re.compile(r"inhibitor|analog|compound|fragment|crosslinker|ligand|drug|form\b", re.IGNORECASE)


def common_name(title: str, synonyms: Sequence[str], kind: str = "") -> str:
    """Return the name by which a component is best known.

    One word without digits comes first (vemurafenib), then two or three (cyclic diguanosine monophosphate), then a code
    of development (SHP099), the dictionary's name before its synonyms; else the dictionary's name as it is.

    Parameters
    ----------
    title : str
        Name in the dictionary.
    synonyms : sequence of str
        Its other names.
    kind : str
        Its type; sugars keep their name, as short ones say less.

    Examples
    --------
    >>> common_name("4-(4-METHYL-PIPERAZIN-1-YLMETHYL)-N-PHENYL-BENZAMIDE", ["STI-571", "IMATINIB"])
    'imatinib'
    """
    if "saccharide" in kind.lower():
        return lowered(title)
    best = min((title, *synonyms), key=_rank)
    if _rank(best) == len(_FORMS):
        return lowered(title)
    plain = _BOUND.sub("", best).strip()
    return lowered(plain) + (" (bound form)" if plain != best.strip() else "")


_FORMS = (_WORD, _WORDS, _CODE)


def _rank(name: str) -> int:
    """Return how well a name reads, 0 best; `len(_FORMS)` for a systematic one."""
    plain = _BOUND.sub("", name).strip()
    if _NO_NAME.search(plain):
        return len(_FORMS)
    return next((rank for rank, form in enumerate(_FORMS) if form.fullmatch(plain)), len(_FORMS))


def lowered(name: str) -> str:
    """Return a name with its words lowered where all of it is in capitals; codes and acronyms stay.

    >>> lowered("CYCLIC AMP"), lowered("STI-571"), lowered("DANSYL ACID")
    ('cyclic AMP', 'STI-571', 'dansyl acid')
    """
    if name != name.upper() or not re.search("[A-Z]{5}", name):
        return name
    return re.sub("[A-Z]{4,}", lambda word: word[0].lower(), name)
