#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# packaging/check_deb.sh FILE.deb: installs the package in a bare Debian 12 of its own, asks vulkaninfo for the device with no
# variable set, removes it, and compares what is left with what was there. Needs root and debootstrap, and some minutes.
set -eu

package=$(realpath "$1")
root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf "$root"' EXIT
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Origin: Debian' 'Codename: bookworm' | head -n 1)
debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" 2>&1 || { tail "$root.log"; exit 1; }
rm -f "$root.log"
mount -t proc proc "$root/proc"
in_root() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }
files() { (cd "$root" && find usr etc lib opt -xdev -not -path '*/__pycache__*' | sort); }

cp "$package" "$root/tmp/"
in_root apt-get -q -y install --no-install-recommends vulkan-tools >/dev/null
files >"$root/tmp/before"
in_root apt-get -q -y install --no-install-recommends "/tmp/$(basename "$package")" >/dev/null
in_root vulkaninfo --summary | tee "$root/tmp/summary" | grep -A 12 '^Devices'
grep -q 'deviceName .*(vc4vk)' "$root/tmp/summary" || { echo "check_deb: the device is not listed"; exit 1; }
in_root vc4vk-info >/dev/null
in_root apt-get -q -y purge --auto-remove vc4vk >/dev/null
files >"$root/tmp/after"
diff "$root/tmp/before" "$root/tmp/after" || { echo "check_deb: removal left or took files"; exit 1; }
echo "check_deb: installed, listed, removed without a trace"
