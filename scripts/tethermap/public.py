"""Parts of the library that the HTTP service may import: names, words and texts, no science.

A test restricts the imports of the service to these names, so that their readers change with them.
"""

MODULES = (
    *("base.atomic", "base.column_words", "base.config", "base.contexts", "base.errors", "base.fasta"),
    *("base.identifiers", "base.layout", "base.links", "base.packed", "base.parquet", "base.reasons"),
    *("base.recorded_search", "base.root", "base.tables", "base.texts", "drawing.card", "drawing.exposed"),
    *("drawing.interactions", "drawing.ramp", "drawing.reader", "entry.polymer_lines", "exits.words"),
    *("exposure.method", "extras.protac.linker_length", "extras.protac.programs", "fit.limits", "report.directions"),
    *("report.left_out", "report.policy", "reproduce", "run.display", "run.events", "run.exit_status", "run.job_log"),
    *("run.logs", "run.slurm", "run.start", "run.told", "sources.own.archives", "sources.query"),
    "sources.suggestions",
)
"""Modules of `tethermap`."""
