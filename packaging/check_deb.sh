#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# packaging/check_deb.sh vc4vk_*_ARCH.deb [vc4vk-tools_*_ARCH.deb]: installs the packages in a separate Debian system of
# this machine's release, checks that vulkaninfo lists the device with no variable set, removes the packages, and checks
# that the files are the same as before. Needs root.
#
# This machine's architecture: apt installs them in a bare Debian made by debootstrap; takes some minutes.
# Another architecture: dpkg installs them in a copy of the sysroot of cross/sysroot.sh and checks that all dependencies
# are there (the packages have no scripts to run). vulkaninfo runs there under the qemu of qemu-user-static.
set -eu

packages=()
for file; do
    packages+=("$(realpath "$file")")
done
cd "$(dirname "$0")/.."
arch=$(dpkg-deb -f "${packages[0]}" Architecture)
native=$(dpkg --print-architecture)
# A foreign root is on tmpfs: under qemu a 32-bit program cannot read directories with 64-bit directory offsets.
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
    # vulkan-tools stays installed. The driver's own dependencies must be removed together with it.
    in_root apt-get -q -y install --no-install-recommends vulkan-tools >/dev/null
    install_packages() { in_root apt-get -q -y install --no-install-recommends "${packages[@]/#*\///tmp/}" >/dev/null; }
    purge_packages() { in_root apt-get -q -y purge --auto-remove $(names) >/dev/null; }
    run() { in_root "$@"; }
else
    case $arch in
    arm64) qemu=qemu-aarch64-static ;;
    armhf) qemu=qemu-arm-static ;;
    esac
    command -v "$qemu" >/dev/null || { echo "check_deb: $qemu is missing: install qemu-user-static"; exit 1; }
    [ -d "build-sysroot/$arch.dpkg" ] || { echo "check_deb: build-sysroot/$arch.dpkg is missing: run ./run deb --arch $arch first"; exit 1; }
    cp -a "build-sysroot/$arch" "$root"
    mkdir -p "$root/var/lib/dpkg/updates"
    cp -a "build-sysroot/$arch.dpkg/." "$root/var/lib/dpkg/"
    sed -i "s|^$PWD/build-sysroot/$arch||" "$root"/var/lib/dpkg/info/*.list
    in_root() { dpkg --root="$root" --log=/dev/null "$@"; }
    install_packages() { in_root --install "${packages[@]}" >"$work/log" 2>&1 || { cat "$work/log"; return 1; }; }
    purge_packages() { in_root --purge $(names | tac) >"$work/log" 2>&1 || { cat "$work/log"; return 1; }; }
    # Uses chroot because qemu -L redirects opening a file, but not checking whether it exists.
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
grep -q 'deviceName .*(vc4vk)' "$work/summary" || { echo "check_deb: vulkaninfo does not list a device of vc4vk"; exit 1; }
! names | grep -q tools || run vc4vk-info >/dev/null
purge_packages
files >"$work/after"
diff "$work/before" "$work/after" || { echo "check_deb: after removal the files differ from those before installation"; exit 1; }
echo "check_deb: $arch: $(comm -13 "$work/before" "$work/installed" | wc -l) files and folders installed, the device listed," \
    "all removed"
