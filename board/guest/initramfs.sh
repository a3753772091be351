#!/bin/bash
# SPDX-License-Identifier: MIT
#
# board/guest/initramfs.sh KERNEL_FOLDER BUSYBOX OUT: writes the guest's initial memory file system: an arm64 busybox, the
# kernel's modules, and the guest's first two programs.
set -euo pipefail
here=$(realpath "$(dirname "$0")")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir"/{bin,dev,proc,sys,root}
cp "$2" "$dir/bin/busybox"
cp -r "$1/modules" "$dir/"
cp "$here/start.sh" "$dir/start.sh"
cp "$here/init.sh" "$dir/init"
chmod 755 "$dir/bin/busybox" "$dir/init" "$dir/start.sh"
# The kernel opens the console before /dev is mounted.
(cd "$dir" && find . -mindepth 1 | LC_ALL=C sort | cpio -o -H newc --quiet -R 0:0) >"$3"
