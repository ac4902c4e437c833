"""Location of the reference tables that are shipped with the pipeline."""

import csv

from tethermap.base.root import ROOT

REFERENCE = ROOT / "data" / "reference"


def rows_of(name: str) -> list[dict[str, str]]:
    """Return the rows of a reference table.

    Parameters
    ----------
    name : str
        Name of its file without ``.csv``.

    >>> [row["chem_class"] for row in rows_of("exit_classes")][:2]
    ['amine N-H', 'amine N, alkyl leaves']
    """
    with (REFERENCE / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))
