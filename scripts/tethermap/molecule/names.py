"""Names of ligands: the common name of a drug precedes its systematic one."""

import re
from collections.abc import Sequence

_BOUND = re.compile(r",? *\(?(?:bound|bound form)\)?$", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z][A-Za-z-]{4,}")
_WORDS = re.compile(r"[A-Za-z][A-Za-z'-]*(?: [A-Za-z][A-Za-z'-]*){1,2}")
_CODE = re.compile(r"[A-Za-z][A-Za-z0-9., -]{2,13}")
_IN_TITLE = re.compile(
    r"(?:\b(?:PROTAC|degrader|inhibitor|antagonist|agonist)|(?P<beside>\b(?:complex(?:ed)?|bound) (?:with|to)))"
    r" (?P<code>[A-Z]{2,6}[- ]?\d{1,6}[A-Z]?)(?= inhibitor| in complex|\.?$)",
    re.IGNORECASE,
)
"""A code of development in the title of an entry, after the word for such a molecule or after "in complex with"."""

_NO_NAME = re.compile(r"inhibitor|analog|compound|fragment|crosslinker|ligand|drug|form\b", re.IGNORECASE)


def common_name(title: str, synonyms: Sequence[str], kind: str = "") -> str:
    """Return the name by which a component is best known.

    One word without digits has priority (vemurafenib), then two or three (cyclic diguanosine monophosphate), then a
    code of development (SHP099), the dictionary's name before its synonyms; else the dictionary's name is returned
    unchanged.

    Parameters
    ----------
    title : str
        Name in the dictionary.
    synonyms : sequence of str
        Alternative names.
    kind : str
        Type of the component; sugars keep their name, because short ones are less specific.

    Examples
    --------
    >>> common_name("4-(4-METHYL-PIPERAZIN-1-YLMETHYL)-N-PHENYL-BENZAMIDE", ["STI-571", "IMATINIB"])
    'imatinib'
    """
    best = min((title, *synonyms), key=_rank)
    if "saccharide" in kind.lower() or _rank(best) == len(_FORMS):
        return lowered(title)
    plain = _BOUND.sub("", best).strip()
    return lowered(plain) + (" (bound form)" if plain != best.strip() else "")


def is_systematic(title: str, synonyms: Sequence[str]) -> bool:
    """Return whether the dictionary has only a systematic name."""
    return min(map(_rank, (title, *synonyms))) == len(_FORMS)


def name_in_title(title: str, *, one_protein: bool) -> str:
    """Return the code of development of the only ligand in the title of an entry; empty if there is none.

    Parameters
    ----------
    one_protein : bool
        Whether the entry contains one protein: otherwise "in complex with" may name the second.

    Examples
    --------
    >>> name_in_title("THE PROTAC MZ1 IN COMPLEX WITH THE SECOND BROMODOMAIN OF BRD4", one_protein=False)
    'MZ1'
    >>> name_in_title("BRD4 in complex with CDK9", one_protein=False)
    ''
    """
    codes = {m["code"] for m in _IN_TITLE.finditer(title) if one_protein or not m["beside"]}
    return codes.pop() if len(codes) == 1 else ""


_FORMS = (_WORD, _WORDS, _CODE)


def _rank(name: str) -> int:
    """Return how well a name reads, 0 best; `len(_FORMS)` for a systematic one."""
    plain = _BOUND.sub("", name).strip()
    forms = () if _NO_NAME.search(plain) else enumerate(_FORMS)
    return next((rank for rank, form in forms if form.fullmatch(plain)), len(_FORMS))


def lowered(name: str) -> str:
    """Return a name in lower case if all of it is in capitals; codes and acronyms are unchanged.

    >>> lowered("CYCLIC AMP"), lowered("STI-571"), lowered("DANSYL ACID")
    ('cyclic AMP', 'STI-571', 'dansyl acid')
    """
    if name != name.upper() or not re.search("[A-Z]{5}", name):
        return name
    return re.sub("[A-Z]{4,}", lambda word: word[0].lower(), name)
