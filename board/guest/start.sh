#!/bin/busybox sh
# SPDX-License-Identifier: MIT
#
# The second program of the guest: loads the GPU's driver, then does what the word `board=` of the kernel's command line
# says: `shell` gives a prompt; another word is a script on the work disk. The machine is switched off when that ends.
export PATH=/usr/sbin:/usr/bin HOME=/root
off() {
    sync
    poweroff -f
    sleep 60
}
trap off EXIT
mount -t tmpfs -o mode=1777 tmpfs /tmp
mkdir -p /dev/shm /dev/pts
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mount -t devpts devpts /dev/pts
ip link set lo up
hostname vc4
for module in /run/modules/later-*; do
    insmod "$module" || echo "board: ${module##*/} was not loaded"
done
for try in $(seq 100); do
    [ ! -e /dev/dri/renderD128 ] || break
    sleep 0.1
done
[ -e /dev/dri/renderD128 ] || { echo "board: no DRM node"; dmesg | tail -n 30; exit 1; }
mkdir -p /tmp/runtime
export XDG_RUNTIME_DIR=/tmp/runtime

# What the host has built, at the path it has there.
read -r arguments </proc/cmdline
for word in $arguments; do
    case $word in
    board=*) what=${word#board=} ;;
    board.at=*) at=${word#board.at=} ;;
    esac
done
if [ -n "$at" ] && [ -d /board/files ]; then
    mkdir -p "$at"
    mount --bind /board/files "$at"
    cd "$at" || exit 1
fi
case $what in
shell)
    echo "A shell on the guest's console; exit switches the machine off."
    setsid cttyhack sh
    ;;
*)
    sh "/board/$what.sh"
    echo "board: ended with status $?"
    ;;
esac
