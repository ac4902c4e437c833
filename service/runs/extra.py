"""Optional parts of the service: modules of `service.extras`, imported only if the setting `extras` names them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from service.http.endpoint import Endpoint
from service.jobs.record import JobRecord
from service.jobs.store import Store
from service.settings import WEBHOOKS, Settings


class Notices:
    """Notices about ended jobs; this base class sends none."""

    def note(self, record: JobRecord) -> None:
        """Record the end of a job, before its record does; blocks."""

    async def look(self) -> None:
        """Start to send the notices that are due."""

    async def stop(self) -> None:
        """Stop sending; unsent notices are sent after the next start."""

    def delivery_of(self, record: JobRecord, folder: Path) -> Mapping[str, Any] | None:  # noqa: ARG002 - has none
        """Return the state of the notice of a job; None if it has none."""
        return None


@dataclass(frozen=True, slots=True)
class Extra:
    """An optional part of the service, the constant `EXTRA` of its module.

    Parameters
    ----------
    endpoints : tuple of Endpoint
        Routes of the extra.
    notices : callable or None
        Makes its sender of notices.
    """

    endpoints: tuple[Endpoint, ...] = ()
    notices: Callable[[Store, Settings], Notices] | None = None


def extras(names: Iterable[str]) -> list[Extra]:
    """Import extras.

    Parameters
    ----------
    names : iterable of str
        Modules of `service.extras`.
    """
    return [import_module(f"service.extras.{name}").EXTRA for name in names]


def notices_of(store: Store, settings: Settings) -> Notices:
    """Return the sender of notices, which only the extra webhooks has: the operator's commands import no other."""
    makers = [extra.notices for extra in extras(name for name in settings.extras if name == WEBHOOKS)]
    return makers[0](store, settings) if makers and makers[0] else Notices()
