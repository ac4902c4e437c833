#!/bin/sh
# Makes .venv from requirements.lock, compiles our loops, builds the component index and fetches what the pages load;
# arguments name further locks whose packages are added. Called by make; a second call does nothing. PYTHON names the
# interpreter to use: PYTHON=python3.12 make demo
set -eu
cd "$(dirname "$0")/.."

stop() {
    printf 'Set-up stopped: %s\n' "$1" >&2
    exit 1
}

# Installs the packages of further locks, if any are named, and ends.
finish() {
    for lock in "$@"; do
        added=.venv/tethermap-$(printf '%s' "$lock" | tr '/' '-')
        wanted="$state $(cksum <"$lock" | tr ' ' '-')"
        if [ -f "$added" ] && [ "$(cat "$added")" = "$wanted" ]; then
            continue
        fi
        printf 'Adding the packages of %s (less than a minute, up to 0.4 GB) ...\n' "$lock"
        .venv/bin/python -m pip install -qq --no-input --disable-pip-version-check --no-deps --require-hashes -r "$lock" ||
            stop "pip could not install the packages of $lock; its message stands above."
        printf '%s\n' "$wanted" >"$added"
    done
    exit 0
}

# The stamp names everything the environment depends on: the lock, this script, the compiled sources, the path.
digest() { cat requirements.lock scripts/tethermap/base/component_index.py scripts/tethermap/components/index_build.py .ci/setup.sh .ci/assets.sh pyproject.toml scripts/tethermap/kernels/kernels.c service/pages/assets/*lock* | cksum | tr ' ' '-'; }
stamp=.venv/tethermap-setup
state="$(digest) $(pwd -P)"
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$state" ] &&
    .venv/bin/python -c 'import tethermap.kernels._kernels' 2>/dev/null; then
    finish "$@"
fi

supported='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'
if [ -n "${PYTHON:-}" ]; then
    "$PYTHON" -c '' 2>/dev/null || stop "PYTHON is $PYTHON, which does not run: name a Python 3.11, 3.12 or 3.13."
    "$PYTHON" -c "$supported" ||
        stop "$("$PYTHON" -V) is not supported: install Python 3.11, 3.12 or 3.13 and run PYTHON=python3.12 make."
    python=$PYTHON
else
    python=
    for name in python3 python3.13 python3.12 python3.11; do
        if "$name" -c "$supported" 2>/dev/null; then
            python=$name
            break
        fi
    done
    if [ -z "$python" ]; then
        found=$(python3 -V 2>/dev/null || echo 'no Python')
        stop "Python 3.11, 3.12 or 3.13 is needed and $found was found: install the package python3.12 (Debian 12: python3)."
    fi
fi

if [ -f "$stamp" ] && [ "$(cut -d ' ' -f 2- "$stamp")" != "$(pwd -P)" ]; then
    rm -rf .venv # made in another place: its scripts point there
fi
if ! .venv/bin/python -m pip --version >/dev/null 2>&1 || ! .venv/bin/python -c "$supported"; then
    "$python" -c 'import ensurepip, venv' 2>/dev/null ||
        stop "$("$python" -V) cannot make virtual environments: install the package python3-venv."
    "$python" -m venv --clear .venv
fi

# FreeSASA and the compiled loops are built from source: they need a C compiler, the C library's headers and Python's.
if ! .venv/bin/python -c 'import freesasa, tethermap.kernels._kernels' 2>/dev/null; then
    compiler=${CC:-$(.venv/bin/python -c 'import sysconfig; print((sysconfig.get_config_var("CC") or "cc").split()[0])')}
    command -v "${compiler%% *}" >/dev/null 2>&1 ||
        stop "the C compiler $compiler, which FreeSASA and our loops need, is missing: install the packages gcc and libc6-dev."
    headers=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("include"))')
    printf '#include <stdlib.h>\n' | $compiler -E - >/dev/null 2>&1 ||
        stop "the headers of the C library, which FreeSASA and our loops need, are missing: install the package libc6-dev."
    printf '#include <Python.h>\n' | $compiler -I"$headers" -E - >/dev/null 2>&1 ||
        stop "the headers of $(.venv/bin/python -V), which FreeSASA and our loops need, are missing: install the package python3-dev."
fi

printf 'Setting up the environment in .venv, once: about two minutes and 0.9 GB.\n'
printf '1/4 Python packages (a minute or two, 0.7 GB) ...\n'
rm -f "$stamp"
.venv/bin/python -m pip install -qq --no-input --disable-pip-version-check --require-hashes -r requirements.lock ||
    stop "pip could not install the packages of requirements.lock; its message stands above."
# Makes the library, the Snakemake logger in scripts, and the client importable from every working folder.
printf '%s\n' "$(pwd -P)/scripts" "$(pwd -P)/service/client" \
    >"$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/tethermap.pth"
printf '2/4 Compiled loops (some seconds) ...\n'
rm -f scripts/tethermap/kernels/_kernels*.so
.venv/bin/python -m pip install -qq --no-input --disable-pip-version-check --no-deps --no-build-isolation \
    --config-settings editable_mode=compat -e . || stop "our loops could not be compiled; the message stands above."
printf '3/4 Component dictionary (up to a minute, 25 MB in the user'"'"'s cache folder) ...\n'
.venv/bin/python -m scripts.build_component_index ||
    stop "the component index could not be built; the message stands above."
printf '4/4 3D viewer and API explorer of the pages (some seconds, 40 MB) ...\n'
sh .ci/assets.sh || printf '%s\n' 'The pages will work without 3D and without the API explorer: make assets tries again.' >&2
printf '%s\n' "$state" >"$stamp"
printf 'The environment is ready.\n'
finish "$@"
