"""Measure the service: index, archives, polls, memory: ``make bench-service``, seven minutes on a quiet machine."""

from __future__ import annotations

import asyncio
import sys

from tests.tools.bench_http import WARM_UP, http_figures
from tests.tools.bench_index import index_figures
from tests.tools.figures import write_section

NOTE = (
    "The index contains generated jobs; pages are requested like in the routes. Archives, polls and requests "
    "use HTTP and a service process with real jobs of the embedded archive; wall times are those of a quiet "
    f"machine. The slope is a least-squares fit after the first {WARM_UP:.0%} of the requests; its error is the"
    " standard error."
)


def main() -> int:
    """Measure and write the section."""
    figures = asyncio.run(index_figures())
    over_http, memory = asyncio.run(http_figures())
    write_section("service", "make bench-service", [*figures, *over_http], [memory], [NOTE])
    return 0


if __name__ == "__main__":
    sys.exit(main())
