#!/bin/sh
# Builds what the steps need besides the packages of environment.yml, as `make setup` does: Snakemake runs this in an
# environment that it has made (`--software-deployment-method conda`).
set -eu
cd "${TETHERMAP_ROOT:?names the folder of the Snakefile; the rules set it}"
export PYTHONPATH="$PWD/scripts"

if ! python -c 'import tethermap.kernels._kernels' 2>/dev/null; then
    temporary=$(mktemp -d)
    python -c 'from setuptools import setup; setup()' -q build_ext --inplace --build-temp "$temporary" --build-lib "$temporary"
    rm -rf "$temporary"
fi
python -m scripts.build_component_index
