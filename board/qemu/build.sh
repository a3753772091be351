#!/bin/bash
# SPDX-License-Identifier: MIT
#
# board/qemu/build.sh FOLDER: builds FOLDER/qemu-system-aarch64 from the source package of this Debian's QEMU, with the
# machine "vc4" (vc4_board.c, vc4_display.c) and little else. Takes some minutes the first time, and nothing while the files
# of this folder stay as they are. The build is a test tool of this machine: it is QEMU's work, under the GPL, and is not
# distributed.
set -euo pipefail
here=$(realpath "$(dirname "$0")")
. "$here/../../cross/apt.sh"
fail() { echo "board/qemu/build.sh: $*" >&2; exit 1; }
own=(vc4_board.c vc4_board.h vc4_display.c)
headers=(board_v3d.h board_display.h)

mkdir -p "$1"
cd "$1"
work=$PWD
stamp=$(cat "$here"/* "${headers[@]/#/$here/../../src/board/}" | sha256sum | cut -d' ' -f1)
[ ! -x qemu-system-aarch64 ] || [ "$(cat stamp 2>/dev/null)" != "$stamp" ] || exit 0

# QEMU's source, once.
if [ ! -f unpacked ]; then
    rm -rf source apt ./*.dsc ./*.tar.*
    mkdir -p apt
    # The machine's repositories, whether its own list names their sources or not.
    debian_repositories deb-src >apt/sources.list
    [ -s apt/sources.list ] || fail "apt has no package lists of a Debian repository; run apt-get update"
    arch=$(dpkg --print-architecture)
    own_apt apt-get apt "$arch" update >apt.log || fail "no lists of source packages: $work/apt.log"
    own_apt apt-get apt "$arch" source --download-only qemu >>apt.log 2>&1 ||
        fail "QEMU's source package could not be downloaded: $work/apt.log"
    dpkg-source --no-check -x qemu_*.dsc source >unpack.log || fail "QEMU's source could not be unpacked: $work/unpack.log"
    rm -rf apt
    touch unpacked
fi

# The board's files, and what makes QEMU's build use them. A file that has not changed is not built again.
mkdir -p source/include/vc4vk
for file in "${headers[@]}"; do
    cmp -s "$here/../../src/board/$file" "source/include/vc4vk/$file" || cp "$here/../../src/board/$file" source/include/vc4vk/
done
line="arm_ss.add(when: 'CONFIG_ARM_VIRT', if_true: files($(printf "'%s'," "${own[@]}")))"
for file in "${own[@]}"; do
    cmp -s "$here/$file" "source/hw/arm/$file" || cp "$here/$file" source/hw/arm/
done
if ! grep -qxF "$line" source/hw/arm/meson.build; then
    sed -i "/files('vc4_/d; 0,/^hw_arch += /s/^hw_arch += /$line\n&/" source/hw/arm/meson.build
    grep -qxF "$line" source/hw/arm/meson.build || fail "hw/arm/meson.build of this QEMU is not as expected"
fi
devices=source/configs/devices/aarch64-softmmu/vc4.mak
printf 'CONFIG_%s=y\n' ARM_VIRT ARM_V7M VIRTIO_BLK VIRTIO_INPUT >"$devices.new"
cmp -s "$devices.new" "$devices" || cp "$devices.new" "$devices"
rm "$devices.new"

if [ ! -f source/build/build.ninja ]; then
    (cd source && ./configure --target-list=aarch64-softmmu --with-devices-aarch64=vc4 --without-default-features \
        --without-default-devices --enable-tcg --enable-fdt=system --disable-install-blobs --disable-werror --disable-docs) >configure.log 2>&1 ||
        fail "QEMU's configure failed: $work/configure.log"
fi
ninja -C source/build qemu-system-aarch64 >build.log 2>&1 || { tail -n 30 build.log >&2; fail "QEMU's build failed: $work/build.log"; }
cp source/build/qemu-system-aarch64 new # one may be running
mv new qemu-system-aarch64
echo "$stamp" >stamp
