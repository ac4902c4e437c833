"""Optional parts of the service: modules of `service.extras`, imported only if the setting `extras` names them."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

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


def extra(name: str) -> ModuleType:
    """Import an extra, a module of `service.extras`, and return it."""
    return import_module(f"service.extras.{name}")


def notices_of(store: Store, settings: Settings) -> Notices:
    """Return the sender of notices, which only the extra webhooks has: the operator's commands import no other."""
    if WEBHOOKS not in settings.extras:
        return Notices()
    notices: Notices = extra(WEBHOOKS).Webhooks(store, settings)
    return notices
