# Where a linker can leave each ligand, for people and for programs that model degraders. The SDF holds exposure and
# exits, so it is written here.
rule rank_exits:
    input:
        instances=layout.shard_file("{shard}", "instances"),
        surroundings=layout.shard_file("{shard}", "surroundings"),
        backbones=layout.shard_file("{shard}", "backbones"),
        molecules=layout.shard_file("{shard}", "molecules"),
        sasa_atoms=layout.shard_file("{shard}", "sasa_atoms"),
        complex_files=layout.shard_file("{shard}", "complex_files"),
    output:
        exits=layout.shard_file("{shard}", "exits"),
        protac_inputs=layout.shard_file("{shard}", "protac_inputs"),
        files=layout.shard_file("{shard}", "exit_files"),
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
