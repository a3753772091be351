#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# vkmark.sh TOOLS_DIR ICD.json REFERENCE_ICD.json [PRELOAD]: vkmark's built-in scenes on this driver, under the script's
# own X server. $VKMARK is the vkmark command, with the options that it needs to find its files; without it, and with no
# vkmark in the path, the test is skipped. Prints TAP. Three checks per scene: the first frame equals the reference's
# except for edges; no job ran on the CPU engine; and the validation layer, synchronisation included, has no message
# that it does not also have about vkmark on the reference. The first frames are all drawn for time 0 of the scene;
# later ones cannot be compared. PRELOAD: on_driver.sh.
. "$(dirname "$0")/on_driver.sh"
has_vkmark || skip "vkmark is not installed, and VKMARK names none"

scenes=(vertex:device-local=true vertex:device-local=false texture:anisotropy=0 texture:anisotropy=16
    shading:shading=gouraud shading:shading=blinn-phong-inf shading:shading=phong shading:shading=cel
    effect2d:kernel=edge effect2d:kernel=blur desktop cube clear)

# The rules that a log reports as broken.
messages() {
    grep -oE '(VUID|SYNC|UNASSIGNED)-[A-Za-z0-9-]+' "$1" | sort -u
}

draw() { # on_driver|on_reference SCENE NAME
    VC4VK_DEBUG=perf last_frame_of "$tools" "$out/$3.png" \
        validated "$1" timeout 100 "${vkmark[@]}" --winsys xcb -b "$2:duration=0.0001" >"$out/$3.log" 2>&1
}

# Draws the reference's picture. Mesa presents on a thread of its own, so on a busy machine vkmark can end before its
# frame is shown; then it is drawn again.
draw_reference() { # SCENE NAME
    local attempt
    for attempt in 1 2 3 4 5; do
        draw on_reference "$1" "$2"
        [ -s "$out/$2.png" ] && return
    done
}

# Permille of pixels that may differ: which texels an anisotropic filter samples is up to the device.
tolerance() {
    [ "$1" = texture:anisotropy=16 ] && echo 20 || echo 2
}

begin $((3 * ${#scenes[@]}))
judge vkmark
layer_and_reference_judge
for scene in "${scenes[@]}"; do
    name=${scene//[:=]/_}
    draw_reference "$scene" "$name.expected"
    draw on_driver "$scene" "$name.got" &&
        "$tools/compare_png" "$out/$name.expected.png" "$out/$name.got.png" 8 "$(tolerance "$scene")" "$out/$name.diff.png" \
            >>"$out/$name.got.log"
    report $? "$scene: the first frame is the reference's" "$out/$name.got.log"
    grep -qE 'jobs: .* 0 CPU;' "$out/$name.got.log"
    report $? "$scene: no CPU-engine job" "$out/$name.got.log"
    [ -z "$(comm -13 <(messages "$out/$name.expected.log") <(messages "$out/$name.got.log"))" ]
    report_validated $? "$scene: no validation message that the reference has not" "$out/$name.got.log"
done
no_failures
