"""The report's methods with parameters and references."""

from collections.abc import Mapping
from typing import Any

from tethermap.answers.observed import limits as observed
from tethermap.answers.pockets import limits as pockets
from tethermap.complex import limits as complexes
from tethermap.exits import limits as exits, words
from tethermap.exposure import method
from tethermap.fit.limits import limit
from tethermap.report.templating import environment
from tethermap.series import limits as series


def paragraphs(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the methods as (heading, text) with the job's parameters in them.

    Parameters
    ----------
    settings : mapping
        The resolved configuration of the job.

    Returns
    -------
    list of (str, str)
        One short text per step; authors and years as in `references`.
    """
    numbers = {"observed": observed, "pockets": pockets, "complexes": complexes, "exits": exits, "words": words}
    template = environment().get_template("methods.txt.j2")
    text = template.render(settings=settings, limit=limit, method=method, series=series, **numbers)
    parts = (part.partition("\n") for part in text.split("## ")[1:])
    return [(heading, body.strip().replace("\n", " ")) for heading, _, body in parts]
