#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# packaging/check_dist.sh: makes the source tarball of the last commit, builds it twice in folders with different names,
# without a network, without git's history and without ccache, and compares what the two builds install, byte by byte.
# Needs root for a network namespace, and what ./run build installs.
set -eu

cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
meson setup "$work/setup" -Dtests=disabled >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
meson dist -C "$work/setup" --no-tests --formats xztar >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
tarball=$(ls "$work"/setup/meson-dist/*.tar.xz)

# build FOLDER BUILD_DIR: unpacks the tarball in the folder, builds it there, and installs into FOLDER.installed.
build() {
    mkdir "$1"
    tar -xf "$tarball" -C "$1" --strip-components=1
    (cd "$1" && unshare --net env CCACHE_DISABLE=1 DESTDIR="$1.installed" bash -ec "
        meson setup '$2' --buildtype=release --prefix=/usr -Dtests=disabled
        meson compile -C '$2'
        meson install -C '$2' --no-rebuild") >"$1.log" 2>&1 || { tail -n 40 "$1.log"; exit 1; }
}
build "$work/a" b
build "$work/another-name" out/of-another-name
diff -r "$work/a.installed" "$work/another-name.installed" || { echo "check_dist: the builds differ"; exit 1; }
echo "check_dist: $(basename "$tarball"): two builds without a network installed the same" \
    "$(find "$work/a.installed" -type f | wc -l) files"
