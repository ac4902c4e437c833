"""Definitions of components that are newer than the index, from RCSB's files server."""

from pathlib import Path

from tethermap.base.atomic import write_bytes
from tethermap.base.errors import UserError
from tethermap.base.identifiers import is_component_code
from tethermap.base.links import Addresses
from tethermap.run.http import HttpClient, HttpError


class ComponentFiles:
    """Fetches component definitions by code, once for all jobs that share the cache.

    Parameters
    ----------
    cache : Path
        The cache folder; definitions are kept below ``components``.
    http : HttpClient, optional
        Sends the requests; made at the first one when not given.
    """

    def __init__(self, cache: Path, http: HttpClient | None = None) -> None:
        self._folder = cache / "components"
        self._http = http
        self._address = f"{Addresses.from_environment().files.removesuffix('/download')}/ligands/download"

    def __call__(self, comp_id: str) -> str | None:
        """Return the CIF text of a component, None when the server does not know it.

        Raises
        ------
        UserError
            If the server cannot be reached: bonds are not guessed because of a broken network.
        """
        if not is_component_code(comp_id):
            return None
        path = self._folder / f"{comp_id}.cif"
        if path.is_file():
            return path.read_text(encoding="utf-8")
        self._http = self._http or HttpClient()
        try:
            answer = self._http.request(f"{self._address}/{comp_id}.cif", problem=_problem)
        except HttpError as error:
            raise UserError(
                f"The definition of component {comp_id} is not available ({error}): check the network, rerun the job"
                " later, or give the definition in source.components.",
                "upstream",
            ) from error
        if answer.status != 200:
            return None
        write_bytes(path, answer.content)
        return answer.content.decode("utf-8")


def _problem(content: bytes) -> str:
    """Return the fault of a response that should be a component definition."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return "not text"
    return "" if text.lstrip().startswith("data_") and "_chem_comp_atom" in text else "not a component definition"
