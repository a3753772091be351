#!/bin/busybox sh
# SPDX-License-Identifier: MIT
#
# The first program of the guest, in its initial memory file system: loads the modules of the disks, mounts them, and starts
# start.sh in the root file system. Disks are found by their serial numbers: root, work.
bb=/bin/busybox
$bb mkdir -p /proc /sys /dev /root
$bb mount -t proc proc /proc
$bb mount -t sysfs sysfs /sys
$bb mount -t devtmpfs devtmpfs /dev
for module in /modules/boot-*; do
    $bb insmod "$module"
done

# Prints the device of a disk, or nothing.
disk() { # SERIAL
    local dir
    for dir in /sys/block/vd*; do
        [ "$($bb cat "$dir/serial" 2>/dev/null)" != "$1" ] || echo "/dev/${dir##*/}"
    done
}

root=$(disk root) work=$(disk work)
[ -n "$root" ] && $bb mount -t ext4 "$root" /root || { echo "board: no root file system"; $bb poweroff -f; }
[ -z "$work" ] || $bb mount -t ext4 -o ro "$work" /root/board
for dir in dev proc sys; do
    $bb mount --move "/$dir" "/root/$dir"
done
$bb cp -r /modules /start.sh /root/run/
exec $bb switch_root /root /run/start.sh
