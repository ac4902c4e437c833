"""Atoms of partner chains and symmetry mates around a ligand, read back from the working files of a finished job."""

from pathlib import Path

import numpy as np

from tethermap.base import layout
from tethermap.base.arrays import as_text
from tethermap.base.contexts import CONTEXTS
from tethermap.base.errors import OTHER_VERSION_ERRORS, UserError
from tethermap.base.records import part, read_records, stem_of
from tethermap.instance.store import surroundings_of_record

BEYOND = ("assembly", "crystal")
"""Contexts whose atoms are not in the cleaned complex."""


class NoPartnersError(UserError):
    """The surroundings of the ligand are unknown; the message gives the reason."""


def partners_of(job: Path, stem: str) -> dict[str, str]:
    """Return the atoms that the assembly and the crystal add around a ligand, by context in the XYZ format.

    Coordinates are in angstroms, in the frame of the cleaned complex; atoms as far as a linker may meet them.

    Parameters
    ----------
    job : Path
        The job folder, with its working files.
    stem : str
        The ligand.

    Raises
    ------
    NoPartnersError
        If the job has no such ligand, or its working files are gone or of another version.
    """
    if not (job / layout.SHARDS).is_dir():
        message = "The job's working files with the atoms around this ligand no longer exist: run the job again."
        raise NoPartnersError(message)
    try:
        for folder in layout.shard_folders(job):
            for record in read_records(part(job, folder.name, "clean_complexes/surroundings")):
                if stem_of(record) == stem:
                    around = surroundings_of_record(record)
                    here = {name: around.context == CONTEXTS.index(name) for name in BEYOND}
                    return {name: _xyz(as_text(around.element[own]), around.xyz[own]) for name, own in here.items()}
    except OTHER_VERSION_ERRORS as error:
        raise NoPartnersError("The job's working files are of another version: run it again.") from error
    raise NoPartnersError(f"The job has no ligand {stem[:64]}.")


def _xyz(elements: np.ndarray, xyz: np.ndarray) -> str:
    lines = [f"{element} {x:.3f} {y:.3f} {z:.3f}" for element, (x, y, z) in zip(elements, xyz.tolist(), strict=True)]
    return "\n".join([str(len(lines)), "", *lines, ""]) if lines else ""
