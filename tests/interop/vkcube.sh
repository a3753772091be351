#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# vkcube.sh TOOLS_DIR ICD.json REFERENCE_ICD.json [PRELOAD]: the two cubes of vulkan-tools on this driver, under the
# script's own X server. Prints TAP: 300 frames under the validation layer (synchronisation included) without a message,
# frame 50 equals the reference's except for edge pixels (at most 2 of a thousand), also frame 10 of a window wider than 2048
# pixels, no job on the CPU engine, vulkaninfo without an error.
. "$(dirname "$0")/on_driver.sh"
frames=300
[ -z "$preload" ] || frames=30

begin 12
layer_and_reference_judge
for cube in vkcube vkcubepp; do
    VC4VK_DEBUG=perf validated on_driver timeout 280 "$cube" --c $frames --suppress_popups >"$out/$cube.log" 2>&1
    report $? "$cube --c $frames ends with 0" "$out/$cube.log"
    ! grep -qiE 'validation|VUID|SYNC-|UNASSIGNED' "$out/$cube.log"
    report_validated $? "$cube: not one validation message" "$out/$cube.log"
    grep -qE 'jobs: .* 0 CPU;' "$out/$cube.log"
    report $? "$cube: no CPU-engine job" "$out/$cube.log"
    grep -qE 'time: [1-9][0-9]* frames shown, each .* chip [0-9.]+,' "$out/$cube.log" &&
        { grep -qE 'model: [0-9]+ jobs, each: binning .* fragment programs' "$out/$cube.log" ||
            [ "${VC4VK_DEVICE:-model}" != model ]; }
    report $? "$cube: where a frame's time went" "$out/$cube.log"
done

# Both cubes turn by the same steps. The reference's present thread may still hold the last frame when the window is
# closed, so its image is taken from the program's 50th present and not from what the window showed last.
frame_of 50 "$out/cube.expected.png" \
    on_reference timeout 100 vkcube --c 50 --suppress_popups >"$out/cube.expected.log" 2>&1
for cube in vkcube vkcubepp; do
    last_frame_of "$tools" "$out/$cube.got.png" on_driver timeout 100 "$cube" --c 50 --suppress_popups >"$out/$cube.log" 2>&1 &&
        "$tools/compare_png" "$out/cube.expected.png" "$out/$cube.got.png" 6 2 "$out/$cube.diff.png" >>"$out/$cube.log"
    report $? "$cube: frame 50 is the reference's but for edges" "$out/$cube.log"
done

# A window that is wider than what the chip renders and samples at once.
frame_of 10 "$out/wide.expected.png" \
    on_reference timeout 100 vkcube --c 10 --width 2560 --height 1440 --suppress_popups >"$out/wide.expected.log" 2>&1
last_frame_of "$tools" "$out/wide.got.png" \
    on_driver timeout 100 vkcube --c 10 --width 2560 --height 1440 --suppress_popups >"$out/wide.log" 2>&1 &&
    "$tools/compare_png" "$out/wide.expected.png" "$out/wide.got.png" 6 2 "$out/wide.diff.png" >>"$out/wide.log"
report $? "a cube in 2560 x 1440 pixels is the reference's but for edges" "$out/wide.log"

XDG_RUNTIME_DIR=$out on_driver timeout 60 vulkaninfo >"$out/vulkaninfo.log" 2>&1
status=$?
grep -qE '^ERROR|error:' "$out/vulkaninfo.log" && status=1
report $status "vulkaninfo runs through" "$out/vulkaninfo.log"
no_failures
