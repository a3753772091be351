#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# vkbasalt.sh TOOLS_DIR ICD.json REFERENCE_ICD.json [PRELOAD]: the layer vkBasalt on vkcube. vkBasalt samples a
# program's swapchain images and draws its effects into others. Prints TAP: for each effect, frame 50 equals the
# reference's except for edge pixels (at most 2 of a thousand), and differs from the frame without the effect. Skipped
# where vkBasalt, vkcube or the reference is not installed.
. "$(dirname "$0")/on_driver.sh"
grep -qs VK_LAYER_VKBASALT_post_processing {/etc,/usr/local/etc,/usr/share,/usr/local/share}/vulkan/implicit_layer.d/*.json ||
    skip "no vkBasalt (vkbasalt)"
command -v vkcube >/dev/null || skip "no vkcube (vulkan-tools)"
[ -n "$reference" ] || skip "no lavapipe to compare with"
effects=(cas fxaa smaa dls)

# A sanitizer makes vkcube many times slower.
limit_s=100
[ -z "$preload" ] || limit_s=600

# Draws the cube with an effect, or with none, through on_driver or on_reference.
cube() { # EFFECT on_driver|on_reference OUT.png
    local settings=()
    if [ "$1" != none ]; then
        printf 'effects = %s\ncasSharpness = 0.8\nenableOnLaunch = True\n' "$1" >"$out/$1.conf"
        settings=(ENABLE_VKBASALT=1 VKBASALT_CONFIG_FILE="$out/$1.conf")
    fi
    frame_of 50 "$3" "$2" env "${settings[@]}" timeout $limit_s vkcube --c 50 --suppress_popups
}

# At most two of a thousand pixels differ.
alike() { "$tools/compare_png" "$1" "$2" 6 2 "$3"; } # EXPECTED GOT DIFF

begin $((2 * ${#effects[@]}))
judge lavapipe
cube none on_driver "$out/none.got.png" >"$out/none.log" 2>&1
for effect in "${effects[@]}"; do
    got=$out/$effect.got.png expected=$out/$effect.expected.png log=$out/$effect.log
    cube "$effect" on_reference "$expected" >"$log" 2>&1 && cube "$effect" on_driver "$got" >>"$log" 2>&1 &&
        alike "$expected" "$got" "$out/$effect.diff.png" >>"$log"
    report $? "$effect: frame 50 is the reference's but for edges" "$log"
    [ -s "$out/none.got.png" ] && [ -s "$got" ] && ! alike "$out/none.got.png" "$got" "$out/$effect.change.png" >>"$log"
    report $? "$effect: it is another picture than without" "$log"
done
no_failures
