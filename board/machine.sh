#!/bin/bash
# SPDX-License-Identifier: MIT
#
# board/machine.sh FOLDER KERNEL WHAT [QEMU OPTIONS]...: boots the virtual Pi from what the other scripts have made in FOLDER.
# Its console is standard input and output. WHAT is `shell`, or a script on the work disk, FOLDER/work.ext4, which need not
# exist. The disks do not change. BOARD_AT is the path at which the guest shows the work disk's files; BOARD_MEMORY
# and BOARD_CMA set the sizes of memory, BOARD_KERNEL more words for the kernel.
set -euo pipefail
folder=$1 kernel=$1/kernel-$2 what=$3
shift 3
disk() { # SERIAL FILE: the last device comes first in the guest
    echo -drive "if=none,id=$1,format=raw,snapshot=on,file=$2" -device "virtio-blk-device,drive=$1,serial=$1"
}
disks=($(disk root "$folder/root/root.ext4"))
[ ! -f "$folder/work.ext4" ] || disks+=($(disk work "$folder/work.ext4"))
append="console=ttyAMA0 quiet panic=-1 cma=${BOARD_CMA:-256M} board=$what"
[ -z "${BOARD_AT:-}" ] || append+=" board.at=$BOARD_AT"
exec "$folder/qemu/qemu-system-aarch64" -M vc4 -cpu cortex-a53 -smp 2 -m "${BOARD_MEMORY:-1G}" -display none -nodefaults \
    -serial stdio -no-reboot -kernel "$kernel/Image" -initrd "$kernel/initramfs" \
    -global vc4-v3d.library="$folder/device/libvc4_v3d_device.so" "${disks[@]}" \
    -append "$append ${BOARD_KERNEL:-}" "$@"
