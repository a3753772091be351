#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# packaging/check_deb.sh vc4vk_*_ARCH.deb [vc4vk-tools_*_ARCH.deb]: installs packages in a Debian of their own, of this
# machine's release, asks vulkaninfo for the device with no variable set, removes them, and compares what is left with what
# was there. Needs root.
#
# Of this machine's architecture: in a bare Debian that debootstrap makes, by apt; takes some minutes.
# Of another: in a copy of what cross/sysroot.sh unpacked, by dpkg, which looks whether it brought all that they depend on
# (no script runs, since they have none); vulkaninfo runs in there by the qemu of qemu-user-static.
set -eu

packages=()
for file; do
    packages+=("$(realpath "$file")")
done
cd "$(dirname "$0")/.."
arch=$(dpkg-deb -f "${packages[0]}" Architecture)
native=$(dpkg --print-architecture)
# In memory: qemu cannot show a 32-bit program the folders of file systems whose places in a folder have 64 bits.
work=$([ "$arch" = "$native" ] && mktemp -d || mktemp -d -p /dev/shm)
root=$work/root
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf "$work"' EXIT
files() { (cd "$root" && find . -xdev -not -path './proc*' -not -path './tmp*' -not -path '*/__pycache__*' \
    -not -path './var/log*' -not -path './var/lib/dpkg/*-old' -not -path './var/lib/dpkg/lock*' \
    -not -path './var/lib/dpkg/triggers*' -not -path './var/cache*' | sort); }
names() { for file in "${packages[@]}"; do dpkg-deb -f "$file" Package; done; }

if [ "$arch" = "$native" ]; then
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Origin: Debian' "Codename: $suite" | head -n 1)
    debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$work/log" 2>&1 || { tail "$work/log"; exit 1; }
    mount -t proc proc "$root/proc"
    in_root() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }
    cp "${packages[@]}" "$root/tmp/"
    # vulkan-tools is what asks; it stays. What the driver brings beside itself goes with it.
    in_root apt-get -q -y install --no-install-recommends vulkan-tools >/dev/null
    install_packages() { in_root apt-get -q -y install --no-install-recommends "${packages[@]/#*\///tmp/}" >/dev/null; }
    purge_packages() { in_root apt-get -q -y purge --auto-remove $(names) >/dev/null; }
    run() { in_root "$@"; }
else
    case $arch in
    arm64) qemu=qemu-aarch64-static ;;
    armhf) qemu=qemu-arm-static ;;
    esac
    command -v "$qemu" >/dev/null || { echo "check_deb: $qemu is missing (Debian's qemu-user-static)"; exit 1; }
    [ -d "build-sysroot/$arch.dpkg" ] || { echo "check_deb: ./run deb --arch $arch has not been here"; exit 1; }
    cp -a "build-sysroot/$arch" "$root"
    mkdir -p "$root/var/lib/dpkg/updates"
    cp -a "build-sysroot/$arch.dpkg/." "$root/var/lib/dpkg/"
    sed -i "s|^$PWD/build-sysroot/$arch||" "$root"/var/lib/dpkg/info/*.list
    in_root() { dpkg --root="$root" --log=/dev/null "$@"; }
    install_packages() { in_root --install "${packages[@]}" >"$work/log" 2>&1 || { cat "$work/log"; return 1; }; }
    purge_packages() { in_root --purge $(names | tac) >"$work/log" 2>&1 || { cat "$work/log"; return 1; }; }
    # By chroot: qemu -L shows a program the foreign files when it opens them, not when it asks whether they are there.
    mkdir -p "$root/tmp" "$root/proc"
    mount -t proc proc "$root/proc"
    cp "$(command -v "$qemu")" "$root/tmp/qemu"
    run() { env -i PATH=/usr/bin:/bin HOME=/tmp "$(command -v chroot)" "$root" /tmp/qemu "/usr/bin/$1" "${@:2}"; }
fi

files >"$work/before"
install_packages
files >"$work/installed"
run vulkaninfo --summary >"$work/summary" 2>"$work/errors" || { cat "$work/summary" "$work/errors"; exit 1; }
grep -A 12 '^Devices' "$work/summary"
grep -q 'deviceName .*(vc4vk)' "$work/summary" || { echo "check_deb: the device is not listed"; exit 1; }
! names | grep -q tools || run vc4vk-info >/dev/null
purge_packages
files >"$work/after"
diff "$work/before" "$work/after" || { echo "check_deb: removal left or took files"; exit 1; }
echo "check_deb: $arch: $(comm -13 "$work/before" "$work/installed" | wc -l) files and folders installed, the device listed," \
    "all removed"
