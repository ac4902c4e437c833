# Where a linker can leave each ligand.
rule rank_exits:
    input:
        instances=layout.shard_file("{shard}", "instances"),
        surroundings=layout.shard_file("{shard}", "surroundings"),
        molecules=layout.shard_file("{shard}", "molecules"),
        sasa_atoms=layout.shard_file("{shard}", "sasa_atoms"),
    output:
        exits=layout.shard_file("{shard}", "exits"),
    log:
        f"{layout.RULE_LOGS}/rank_exits/{{shard}}.log",
    benchmark:
        f"{layout.BENCHMARKS}/rank_exits/{{shard}}.tsv"
    conda:
        "../environment.yml"
    resources:
        mem_mb=lookup(dpath="resources/mem_mb", within=config),
        runtime=lookup(dpath="resources/runtime", within=config),
    params:
        config=source_settings,
        progress=progress_file("rank_exits", "{shard}"),
    script:
        "../scripts/rank_exits.py"
