#!/bin/bash
# SPDX-License-Identifier: MIT
#
# board/board.sh KERNEL shell | test [NAME]...: makes what is missing of the virtual Pi in build-board/ and starts it, with a
# prompt or with tests. `./run board` installs the packages and builds the project first.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$PWD/build-board kernel=$1 what=$2
shift 2
step() { echo "board: $*"; }

mkdir -p "$folder/device"
step "QEMU with the machine vc4 (some minutes the first time)"
board/qemu/build.sh "$folder/qemu"
step "Debian's kernel $kernel for arm64"
board/guest/kernel.sh "$folder/kernel-$kernel" "$kernel"
step "the guest's root file system"
board/guest/root.sh "$folder/root"
board/guest/initramfs.sh "$folder/kernel-$kernel" "$folder/root/busybox" "$folder/kernel-$kernel/initramfs"
cp build/src/board/libvc4_v3d_device.so "$folder/device/"

export BOARD_AT=$PWD
if [ "$what" = shell ]; then
    board/guest/work.py build-arm64 build/tests-out/reference "$folder/work.ext4"
    exec board/machine.sh "$folder" "$kernel" shell
fi

out=$PWD/build-board/out-$kernel
rm -rf "$out"
mkdir -p "$out/results"
board/guest/work.py build-arm64 build/tests-out/reference "$folder/work.ext4" "$@"
truncate -s 256M "$out/results.img"
step "starting the guest; its console is written to build-board/out-$kernel/console.log"
board/watch.py "$out/console.log" "$out/pictures" board/machine.sh "$folder" "$kernel" test \
    -drive "if=none,id=results,format=raw,file=$out/results.img" -device virtio-blk-device,drive=results,serial=results
tar -xf "$out/results.img" -C "$out/results" || step "the guest has written no results"
rm "$out/results.img"
compared=()
if grep -q '^@@ begin jobs/' "$out/console.log"; then
    BOARD_JOBS=$out/results/jobs python3 tests/interop/replay_jobs.py board/guest/replayed.sh tests/jobs --keep "$out/jobs" \
        >"$out/jobs.tap" || true
    compared+=(jobs="$out/jobs.tap")
fi
if grep -q '^@@ begin screen/' "$out/console.log"; then
    step "comparing the screen's pictures"
    . tests/interop/x_server.sh
    start_x_server || step "no X server"
    mkdir "$out/frames"
    VK_ICD_FILENAMES=$PWD/build/vk_icd.json VC4VK_SHOWN=$out/frames vkcube --c 600 --width 256 --height 256 --suppress_popups \
        >"$out/vkcube.log" 2>&1 || step "vkcube failed: $out/vkcube.log"
    stop_x_server
    board/screens.py "$out/console.log" "$out/pictures" "$out/results/screen" "$out/frames" >"$out/screen.tap"
    compared+=(screen="$out/screen.tap")
    rm -r "$out/frames"
fi
board/results.py "$out/console.log" "$out" "${compared[@]}"
