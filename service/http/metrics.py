"""Counts of requests in Prometheus' text format."""

from collections import Counter
from collections.abc import Mapping

_BOUNDS = (0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0)


class Metrics:
    """Counts requests by route and status, and how long they took."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._buckets: Counter[float] = Counter()
        self._seconds = 0.0
        self._total = 0

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request; `route` is its pattern, so that there are few of them."""
        label = method if method in ("GET", "HEAD", "POST", "DELETE", "OPTIONS") else "other"
        self._requests[label, route, status] += 1
        self._seconds += seconds
        self._total += 1
        for bound in _BOUNDS:
            if seconds <= bound:
                self._buckets[bound] += 1

    def text(self, gauges: Mapping[str, float], ended: Mapping[tuple[str, str], int]) -> str:
        """Return all counts, `gauges` of other parts by name, and the jobs that have `ended` by state and reason."""
        lines = ["# TYPE tethermap_requests_total counter"]
        for (method, route, status), number in sorted(self._requests.items()):
            lines.append(f'tethermap_requests_total{{method="{method}",route="{route}",status="{status}"}} {number}')
        lines.append("# TYPE tethermap_request_seconds histogram")
        lines += [f'tethermap_request_seconds_bucket{{le="{bound}"}} {self._buckets[bound]}' for bound in _BOUNDS]
        lines += [
            f'tethermap_request_seconds_bucket{{le="+Inf"}} {self._total}',
            f"tethermap_request_seconds_sum {self._seconds:.6f}",
            f"tethermap_request_seconds_count {self._total}",
        ]
        lines.append("# TYPE tethermap_jobs_ended_total counter")
        for (state, kind), number in sorted(ended.items()):
            lines.append(f'tethermap_jobs_ended_total{{status="{state}",kind="{kind}"}} {number}')
        for name, value in gauges.items():
            lines += [f"# TYPE tethermap_{name} gauge", f"tethermap_{name} {value}"]
        return "\n".join(lines) + "\n"
