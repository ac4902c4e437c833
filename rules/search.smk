# Which entries: the search and how they are dealt into shards.
rule search_entries:
    output:
        entries=layout.SEARCH_ENTRIES,
        query=layout.SEARCH_QUERY,
        config=layout.JOB_CONFIG,
    log:
        f"{layout.RULE_LOGS}/search_entries.log",
    benchmark:
        f"{layout.BENCHMARKS}/search_entries.tsv"
    conda:
        "../environment.yml"
    params:
        settings=search_settings,
    script:
        "../scripts/search_entries.py"


checkpoint plan_shards:
    input:
        entries=layout.SEARCH_ENTRIES,
    output:
        plan=layout.SHARD_PLAN,
    log:
        f"{layout.RULE_LOGS}/plan_shards.log",
    benchmark:
        f"{layout.BENCHMARKS}/plan_shards.tsv"
    conda:
        "../environment.yml"
    resources:
        processes=planned_cores(),
    params:
        entries_per_shard=lookup(dpath="shards/entries_per_shard", within=config),
    script:
        "../scripts/plan_shards.py"
