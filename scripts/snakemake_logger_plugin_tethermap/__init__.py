"""Snakemake's logger plugin ``--logger tethermap``: an event file, and progress by entry for people.

Runs without it are recorded as well (by `rules/run.smk`); it makes the terminal quieter: one line of progress instead
of Snakemake's lines for every job.
"""

# Without postponed annotations: Snakemake makes its options from the types of `LogHandlerSettings`.
import atexit
import gc
import logging
import sys
from dataclasses import dataclass, field

from snakemake.logging import ColorizingTextHandler, DefaultFilter, DefaultFormatter
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.settings import LogHandlerSettingsBase

from tethermap.run.display import ProgressDisplay
from tethermap.run.recorder import RunRecorder

_COLLECT_AFTER = 20_000
"""Number of new objects after which the garbage collector runs: a large plan creates many that are still in use."""


@dataclass
class LogHandlerSettings(LogHandlerSettingsBase):
    """Options of Snakemake's command line and of profiles, there with ``logger-tethermap-`` before them."""

    fork_scripts: bool = field(
        default=False, metadata={"help": "Fork scripts from a process that has loaded their imports (Linux)"}
    )


class LogHandler(LogHandlerBase):
    """Records the run; shows progress, warnings and errors, or all of Snakemake's lines in verbose mode."""

    def __post_init__(self) -> None:
        """Set up the recorder and the terminal output."""
        settings = self.common_settings
        if isinstance(self.settings, LogHandlerSettings) and self.settings.fork_scripts:
            # A quarter of a run with nothing to do would be collections of garbage among modules that stay loaded.
            gc.set_threshold(_COLLECT_AFTER)
            atexit.register(gc.freeze)
        quiet = {str(name) for name in settings.quiet or ()}
        self._detailed = settings.verbose or settings.printshellcmds or settings.debug_dag or settings.dryrun
        show = not (quiet & {"all", "progress"} or self._detailed)
        self._display = ProgressDisplay(sys.stderr, live=sys.stderr.isatty()) if show else None
        self._recorder = None if settings.dryrun else RunRecorder(self._display)
        self._errors: list[logging.LogRecord] = []
        self._text = ColorizingTextHandler(
            nocolor=settings.nocolor,
            stream=sys.stdout if settings.stdout else sys.stderr,
            formatter=DefaultFormatter(settings.quiet, settings.show_failed_logs),
            filter=DefaultFilter(
                settings.quiet, settings.debug_dag, settings.verbose, settings.dryrun, settings.printshellcmds
            ),
        )

    def emit(self, record: logging.LogRecord) -> None:
        """Record an event and print it if the terminal should show it."""
        if self._recorder is not None:
            self._recorder.emit(record)
        if self._detailed:
            self._text.handle(record)
        elif record.levelno >= logging.ERROR:
            self._errors.append(record)
        elif record.levelno >= logging.WARNING:
            self._show(record)

    def close(self) -> None:
        """End the recording; show the engine's errors unless a step has left a better sentence."""
        if self._recorder is None or not self._recorder.reason():
            for record in self._errors:
                self._show(record)
        self._errors.clear()
        if self._recorder is not None:
            self._recorder.close()
        super().close()

    def _show(self, record: logging.LogRecord) -> None:
        if self._display is not None:
            self._display.clear()
        self._text.handle(record)

    @property
    def writes_to_stream(self) -> bool:
        """Whether this plugin writes to the terminal instead of Snakemake."""
        return True

    @property
    def writes_to_file(self) -> bool:
        """Whether Snakemake should name a log file of this plugin; the event file has a fixed place."""
        return False

    @property
    def has_filter(self) -> bool:
        """Whether this plugin filters its own records; Snakemake's filter would drop events in quiet mode."""
        return True

    @property
    def has_formatter(self) -> bool:
        """Whether it formats itself: yes."""
        return True

    @property
    def needs_rulegraph(self) -> bool:
        """Whether the plugin needs the graph of rules."""
        return False
