#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# gfxreconstruct.sh TOOLS_DIR ICD.json REFERENCE_ICD.json [PRELOAD]: gfxreconstruct's layer captures frames of vkcube
# and of vkmark's scenes while they are drawn, and replays them, both on this driver, under the script's own X server.
# Every frame that the window was given (VC4VK_SHOWN) is compared with the replay's screenshot: no pixel may differ.
# Prints TAP; skipped where gfxreconstruct is not installed, without vkmark's scenes where vkmark ($VKMARK) is not.
# PRELOAD: on_driver.sh.
. "$(dirname "$0")/on_driver.sh"
command -v gfxrecon-replay >/dev/null || skip "gfxreconstruct is not installed"
frames=300
[ -z "$preload" ] || frames=30

scenes=()
if ! has_vkmark; then
    echo "# no judge: vkmark: not installed, its scenes are not captured"
else
    scenes=(vertex:device-local=true vertex:device-local=false texture:anisotropy=16 shading:shading=phong
        effect2d:kernel=blur desktop cube clear)
fi

# captures_and_replays COMMAND...: the program must present by FIFO, so that each frame is shown.
captures_and_replays() {
    local log=$out/log
    rm -rf "$out/live" "$out/replayed"
    mkdir -p "$out/live" "$out/replayed"
    VC4VK_SHOWN=$out/live VK_INSTANCE_LAYERS=VK_LAYER_LUNARG_gfxreconstruct GFXRECON_CAPTURE_FILE=$out/capture.gfxr \
        GFXRECON_CAPTURE_FILE_TIMESTAMP=false GFXRECON_LOG_LEVEL=warning \
        on_driver timeout 200 "$@" >"$log" 2>&1 || return
    on_driver timeout 200 gfxrecon-replay --log-level warning --screenshot-all \
        --screenshot-dir "$out/replayed" "$out/capture.gfxr" >>"$log" 2>&1 || return
    ! grep -E 'ERROR|FATAL|vc4vk (error|warning)' "$log" || return
    python3 "$here/same_frames.py" "$out/live" "$out/replayed" >>"$log"
}

begin $((1 + ${#scenes[@]}))
judge gfxreconstruct
captures_and_replays vkcube --c $frames --width 300 --height 300 --suppress_popups
report $? "vkcube: $(tail -n 1 "$out/log")" "$out/log"
for scene in "${scenes[@]}"; do
    captures_and_replays "${vkmark[@]}" --winsys xcb --present-mode fifo -s 400x300 -b "$scene:duration=1"
    report $? "vkmark $scene: $(tail -n 1 "$out/log")" "$out/log"
done
rm -rf "$out/live" "$out/replayed" "$out/capture.gfxr"
no_failures
