"""Read the files of a form."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request

from service.errors import InvalidField, MissingField, UnsupportedMediaType

FIELD = "files"
_SECONDS = 900.0
"""How long the files may take to arrive."""

_FIELDS = 20


@asynccontextmanager
async def sent_files(request: Request, most: int) -> AsyncIterator[list[UploadFile]]:
    """Yield the files that a request carries; they are gone afterwards.

    Parameters
    ----------
    request : Request
        A form of the type ``multipart/form-data`` with files in the field ``files``.
    most : int
        So many files it may carry.

    Raises
    ------
    UnsupportedMediaType
        If it is no form that can hold files.
    MissingField
        If it holds none.
    InvalidField
        If it can't be read or holds too many.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "multipart/form-data":
        raise UnsupportedMediaType("Files are sent as multipart/form-data, in the field files.")
    try:
        with anyio.fail_after(_SECONDS):
            form = await request.form(max_files=most, max_fields=_FIELDS)
    except (HTTPException, TimeoutError) as error:
        reason = str(getattr(error, "detail", "") or f"did not arrive within {_SECONDS:g} seconds").rstrip(".")
        raise InvalidField(f"files: {reason}.", details={"field": FIELD, "reason": reason}) from None
    try:
        files = [file for file in form.getlist(FIELD) if isinstance(file, UploadFile) and file.filename]
        if not files:
            raise MissingField("files is missing: send one file or more in it.", details={"field": FIELD})
        yield files
    finally:
        await form.close()
