# What the job ends with: checks, tables, report, manifest.
rule check_results:
    input:
        structures=layout.shard_file("{shard}", "structures"),
        instances=layout.shard_file("{shard}", "instances"),
        sasa_summary=layout.shard_file("{shard}", "sasa_summary"),
        sasa_atoms=layout.shard_file("{shard}", "sasa_atoms"),
        entry_status=layout.shard_file("{shard}", "entry_status"),
        ligand_status=layout.shard_file("{shard}", "ligand_status"),
        complex_files=layout.shard_file("{shard}", "complex_files"),
        molecule_files=layout.shard_file("{shard}", "molecule_files"),
        exposure_files=layout.shard_file("{shard}", "exposure_files"),
        exits=layout.shard_file("{shard}", "exits"),
        exit_files=layout.shard_file("{shard}", "exit_files"),
    output:
        checks=layout.shard_file("{shard}", "checks"),
        files=layout.shard_file("{shard}", "files"),
    log:
        f"{layout.RULE_LOGS}/check_results/{{shard}}.log",
    benchmark:
        f"{layout.BENCHMARKS}/check_results/{{shard}}.tsv"
    conda:
        "../environment.yml"
    resources:
        mem_mb=lookup(dpath="resources/mem_mb", within=config),
        runtime=lookup(dpath="resources/runtime", within=config),
    params:
        progress=progress_file("check_results", "{shard}"),
    script:
        "../scripts/check_results.py"


rule build_tables:
    input:
        entries=layout.SEARCH_ENTRIES,
        instances=of_all_shards("instances"),
        molecules=of_all_shards("molecules"),
        entry_status=of_all_shards("entry_status"),
        ligand_status=of_all_shards("ligand_status"),
        name_map=of_all_shards("name_map"),
        sasa_summary=of_all_shards("sasa_summary"),
        sasa_atoms=of_all_shards("sasa_atoms"),
        contacts=of_all_shards("contacts"),
        exits=of_all_shards("exits"),
        backbones=of_all_shards("backbones"),
        protac_inputs=of_all_shards("protac_inputs"),
        complex_files=of_all_shards("complex_files"),
        exposure_files=of_all_shards("exposure_files"),
        exit_files=of_all_shards("exit_files"),
        series=layout.SERIES_MEMBERS,
        ligands=layout.LIGANDS,
    output:
        results_display=layout.RESULTS_DISPLAY,
        sasa_summary=layout.SASA_SUMMARY,
        sasa_atoms=layout.SASA_ATOMS,
        ligand_metadata=layout.LIGAND_METADATA,
        contacts=layout.CONTACTS,
        exit_vectors=layout.EXIT_VECTORS,
        exit_consensus=layout.EXIT_CONSENSUS,
        superposition=layout.SUPERPOSITION,
        protac_inputs=layout.PROTAC_INPUTS,
        entry_status=layout.ENTRY_STATUS,
        ligand_status=layout.LIGAND_STATUS,
        name_map=layout.NAME_MAP,
        ligand_mcs_map=layout.LIGAND_MCS_MAP,
        ligands_sdf=layout.LIGANDS_SDF,
    log:
        f"{layout.RULE_LOGS}/build_tables.log",
    benchmark:
        f"{layout.BENCHMARKS}/build_tables.tsv"
    conda:
        "../environment.yml"
    resources:
        mem_mb=lookup(dpath="resources/mem_mb", within=config),
        runtime=lookup(dpath="resources/runtime", within=config),
    params:
        shards=shards,
        target_name=text_setting("target_name"),
    script:
        "../scripts/build_tables.py"


rule write_report:
    input:
        results_display=layout.RESULTS_DISPLAY,
        sasa_summary=layout.SASA_SUMMARY,
        sasa_atoms=layout.SASA_ATOMS,
        ligand_metadata=layout.LIGAND_METADATA,
        exit_vectors=layout.EXIT_VECTORS,
        exit_consensus=layout.EXIT_CONSENSUS,
        superposition=layout.SUPERPOSITION,
        entry_status=layout.ENTRY_STATUS,
        ligand_status=layout.LIGAND_STATUS,
        series=layout.SERIES_TABLE,
        query=layout.SEARCH_QUERY,
        config=layout.JOB_CONFIG,
        checks=of_all_shards("checks"),
    output:
        report=layout.REPORT,
    log:
        f"{layout.RULE_LOGS}/write_report.log",
    benchmark:
        f"{layout.BENCHMARKS}/write_report.tsv"
    conda:
        "../environment.yml"
    script:
        "../scripts/write_report.py"


# The link Results_Display.csv is written too; it is one file with its target and has no time of its own.
rule write_manifest:
    input:
        report=layout.REPORT,
        checks=of_all_shards("checks"),
    output:
        manifest=layout.MANIFEST,
        log=layout.JOB_LOG,
    log:
        f"{layout.RULE_LOGS}/write_manifest.log",
    benchmark:
        f"{layout.BENCHMARKS}/write_manifest.tsv"
    conda:
        "../environment.yml"
    script:
        "../scripts/write_manifest.py"
