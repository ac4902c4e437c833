# Which entries, and how they are dealt into shards. In a used folder another number of entries per shard deals nothing
# anew by itself, as no result depends on it: like the cores it is no param.
checkpoint search_entries:
    input:
        refuse_without_settings,
    output:
        writes("search_entries"),
    log:
        f"{layout.RULE_LOGS}/search_entries.log",
    benchmark:
        f"{layout.BENCHMARKS}/search_entries.tsv"
    localrule: True
    conda:
        "../environment.yml"
    resources:
        processes=planned_cores(),
        entries_per_shard=lookup(dpath="shards/entries_per_shard", within=config),
    params:
        settings=step_settings("search_entries"),
    script:
        "../scripts/search_entries.py"
