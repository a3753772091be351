#!/bin/bash
# SPDX-License-Identifier: MIT
#
# board/guest/root.sh FOLDER: makes FOLDER/root.ext4, the guest's root file system, of this Debian release's packages for
# arm64. They are downloaded and unpacked but not installed: the guest has no services and no package database, only
# programs and libraries. The program that the kernel starts is busybox with an `init` of ours (init.sh).
set -euo pipefail
here=$(realpath "$(dirname "$0")")
. "$here/../../cross/apt.sh"
fail() { echo "board/guest/root.sh: $*" >&2; exit 1; }
packages=(
    busybox-static                                # the shell and its tools
    libvulkan1 vulkan-tools                       # the loader, vulkaninfo, vkcube
    mesa-vulkan-drivers                           # lavapipe, the reference of the API tests
    libgl1-mesa-dri libegl1 libgles2 libgbm1      # Mesa's driver of the same GPU
    libpng16-16 libmd0 libxxhash0 libstb0 libcmocka0 # the driver's libraries and its tests'
    weston xserver-xorg-core xkb-data x11-xkb-utils fonts-dejavu-core # what shows windows
    libxcb-shm0 libxcb-dri3-0 libxcb-present0 libxcb-composite0 libx11-6 libwayland-client0
)
size_MiB=1536

stamp=$(cat "$0" "$here/../../cross/apt.sh" | sha256sum | cut -d' ' -f1)
[ "$(cat "$1/stamp" 2>/dev/null)" != "$stamp" ] || exit 0
rm -rf "$1"
mkdir -p "$1/apt" "$1/root/usr"
cd "$1"
debian_repositories deb >apt/sources.list
[ -s apt/sources.list ] || fail "apt has no package lists of a Debian repository; run apt-get update"
own_apt apt-get apt arm64 update >apt.log || true # what is missing then, the next step reports
own_apt apt-get apt arm64 install -y --download-only "${packages[@]}" >>apt.log || fail "packages could not be downloaded: $PWD/apt.log"

for dir in bin lib sbin; do
    mkdir -p "root/usr/$dir"
    ln -s "usr/$dir" "root/$dir"
done
for package in apt/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C root --keep-directory-symlink --exclude './usr/share/doc' \
        --exclude './usr/share/man' --exclude './usr/share/locale' --exclude './usr/share/perl*' --exclude './usr/lib/*/perl*'
done
mkdir -p root/{board,dev,etc,proc,root,run,sys,tmp}
echo 'root:x:0:0:root:/root:/bin/sh' >root/etc/passwd
echo 'root:x:0:' >root/etc/group
# What maintainer scripts would have linked.
for tool in $(qemu-aarch64 root/bin/busybox --list); do
    [ -e "root/usr/bin/$tool" ] || [ -e "root/usr/sbin/$tool" ] || ln -s busybox "root/usr/bin/$tool"
done
mke2fs -q -t ext4 -O ^has_journal -E root_owner=0:0 -d root root.ext4 "${size_MiB}M" || fail "no file system could be made"
cp root/bin/busybox .
rm -rf apt root
echo "$stamp" >stamp
