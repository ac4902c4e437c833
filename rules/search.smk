# Which entries, and how they are dealt into shards. In a used folder another number of entries per shard deals nothing
# anew by itself, as no result depends on it: like the cores it is no param.
checkpoint search_entries:
    output:
        entries=layout.SEARCH_ENTRIES,
        query=layout.SEARCH_QUERY,
        plan=layout.SHARD_PLAN,
    log:
        f"{layout.RULE_LOGS}/search_entries.log",
    benchmark:
        f"{layout.BENCHMARKS}/search_entries.tsv"
    conda:
        "../environment.yml"
    resources:
        processes=planned_cores(),
        entries_per_shard=lookup(dpath="shards/entries_per_shard", within=config),
    params:
        asked=step_settings(parameters.search),
        recorded_search=setting("recorded_search"),
        source=step_settings(parameters.source),
        cache_dir=setting("cache_dir"),
    script:
        "../scripts/tethermap/steps/search_entries.py"
