# Selection of entries, and their distribution over shards. In a used folder, another number of entries per shard
# changes no existing shard, because no result depends on it: like the number of cores it is not a param.
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
