#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# packaging/deb.sh BUILD_DIR: a Debian package of what `meson install` of that release build installs, in BUILD_DIR's
# parent. Depends on what the driver and the tools are linked with; what the JIT is linked with is recommended only, since
# the driver does without it. Needs no root.
#
# SYSROOT, for a build of another architecture: the folder of its libraries.
set -eu

build=$(realpath "$1")
root=$(realpath "$(dirname "$0")/..")
stage=$build/deb
version=$(meson introspect "$build" --projectinfo | python3 -c 'import json, sys; print(json.load(sys.stdin)["version"])')

rm -rf "$stage"
DESTDIR=$stage meson install -C "$build" --no-rebuild --quiet
icd=$(find "$stage/usr/lib" -name libvulkan_vc4vk.so)
triplet=$(basename "$(dirname "$icd")")
case $triplet in
x86_64-linux-gnu) arch=amd64 ;;
aarch64-linux-gnu) arch=arm64 ;;
arm-linux-gnueabihf) arch=armhf ;;
*) echo "deb.sh: no Debian name for $triplet" >&2; exit 1 ;;
esac
install -Dm644 "$root/LICENSE" "$stage/usr/share/doc/vc4vk/copyright"
install -Dm644 -t "$stage/usr/share/doc/vc4vk" "$root/README.md" "$root"/docs/*.md
find "$stage/usr/share/man" -type f -exec gzip -9nf {} +
# The package's libraries are found by the loader, by name; nobody links with them.
find "$stage/usr/lib" -name '*.a' -delete
strip=${STRIP:-strip}
find "$stage/usr/lib" "$stage/usr/bin" -type f -exec "$strip" --strip-unneeded {} +

# What a file is linked with, as Debian's control files say it: "libc6, libdrm2, ...". The build's libc and libraries are
# Debian 12's or later; the names are enough.
packages_of() { # FILE...
    local name
    objdump -p "$@" | awk '$1 == "NEEDED" { print $2 }' | sort -u | while read -r name; do
        if [ -n "${SYSROOT:-}" ]; then
            package_in_sysroot "$name"
        else
            dpkg -S "*/$triplet/$name" 2>/dev/null | cut -d: -f1 | grep -v -e '-dev$' | head -n 1
        fi
    done | sort -u | paste -sd, | sed 's/,/, /g'
}

# The sysroot remembers which package brought which library.
package_in_sysroot() { awk -v file="/$1" 'substr($2, length($2) - length(file) + 1) == file { print $1; exit }' "$SYSROOT.files"; }

jit=$(find "$stage/usr/lib" -name libvc4vk_jit.so)
depends=$(packages_of "$icd" "$stage"/usr/bin/*)
mkdir -p "$stage/DEBIAN"
{
    cat <<CONTROL
Package: vc4vk
Version: $version
Architecture: $arch
Maintainer: The vc4vk developers <vc4vk@localhost>
Section: libs
Priority: optional
Depends: $depends
CONTROL
    [ -z "$jit" ] || echo "Recommends: $(packages_of "$jit" | sed 's/^libc6, //')"
    cat <<CONTROL
Installed-Size: $(du -sk --exclude DEBIAN "$stage" | cut -f1)
Description: Vulkan driver for Broadcom VideoCore IV
 Drives the GPU of the Raspberry Pi 0 to 3 through the mainline kernel's vc4
 driver, and on any other machine a functional model of that chip.
CONTROL
} >"$stage/DEBIAN/control"
(cd "$stage" && find usr -type f -exec md5sum {} +) >"$stage/DEBIAN/md5sums"
dpkg-deb --root-owner-group --build "$stage" "$(dirname "$build")/vc4vk_${version}_${arch}.deb"
