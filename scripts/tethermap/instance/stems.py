"""File names of instances: unique also on disks that ignore case."""

import re

from tethermap.instance.model import Residue


class Stems:
    """Hands out the stems of one entry.

    Parameters
    ----------
    entry_id : str
        Lower-case entry id.
    """

    def __init__(self, entry_id: str) -> None:
        self._entry_id = entry_id
        self._taken: dict[str, int] = {}

    def of(self, residue: Residue) -> tuple[str, bool]:
        """Return the stem of an instance and whether a number had to be added.

        Parameters
        ----------
        residue : Residue
            Residue that names the instance.

        Returns
        -------
        stem : str
            ``<entry>_<chain>_<component>_<number>``, with ``-2`` and so on if an earlier stem is the same, ignoring
            case.
        numbered : bool
        """
        parts = (residue.auth_asym_id, residue.comp_id, residue.residue_id)
        stem = "_".join((self._entry_id, *(re.sub(r"[^A-Za-z0-9-]", "_", part) for part in parts)))
        count = self._taken[stem.lower()] = self._taken.get(stem.lower(), 0) + 1
        return (f"{stem}-{count}", True) if count > 1 else (stem, False)
