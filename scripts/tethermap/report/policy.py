"""Content security policy with which a service shows the report: its script runs, and no other."""

import base64
import hashlib

from tethermap.report.templating import script


def digest(text: str) -> str:
    """Return the source expression of an inline style or script in a content security policy.

    >>> digest("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


FROM_SERVICE = (
    "sandbox allow-scripts allow-downloads; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:;"
    f" script-src {digest(script())}; base-uri 'none'; form-action 'none'"
)
"""The sandbox gives the report a separate origin, so that its script reads nothing of the service."""
