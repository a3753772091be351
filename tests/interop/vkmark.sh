#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# vkmark.sh TOOLS_DIR ICD.json REFERENCE_ICD.json [PRELOAD]: the scenes that vkmark has by itself, on this driver, under an
# X server of their own. $VKMARK is how vkmark is called, with the options that it needs to find its files; without it, and
# with no vkmark in the path, the test is skipped. Prints TAP: for each scene, that the first frame is the reference's but
# for edges, that no job ran on the CPU engine, and that the validation layer, synchronisation included, has no message
# that it does not have about vkmark on the reference. The first frames are all at the scenes' time 0, later ones are not
# comparable. PRELOAD as in vkcube.sh.
set -u
tools=$1 icd=$2 reference=$3 preload=${4:-}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/x_server.sh"
read -r -a vkmark <<<"${VKMARK:-vkmark}"
command -v "${vkmark[0]}" >/dev/null || { echo "1..0 # SKIP no vkmark (VKMARK)"; exit 0; }
out=${VKT_OUT:-$(mktemp -d)}/vkmark
mkdir -p "$out"
number=0 failures=0
[ -z "$preload" ] || export ASAN_OPTIONS=detect_leaks=0

scenes=(vertex:device-local=true vertex:device-local=false texture:anisotropy=0 texture:anisotropy=16
    shading:shading=gouraud shading:shading=blinn-phong-inf shading:shading=phong shading:shading=cel
    effect2d:kernel=edge effect2d:kernel=blur desktop cube clear)

report() { # STATUS NAME LOG
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $number - $2"
    else
        failures=$((failures + 1))
        echo "not ok $number - $2"
        tail -n 20 "$3" | sed 's/^/# /'
    fi
}

# Which rules a log says were broken.
messages() {
    grep -oE '(VUID|SYNC|UNASSIGNED)-[A-Za-z0-9-]+' "$1" | sort -u
}

draw() { # ICD PRELOAD SCENE NAME
    VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation \
        VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT \
        VC4VK_DEBUG=perf VK_ICD_FILENAMES=$1 last_frame_of "$tools" "$out/$4.png" \
        env LD_PRELOAD="$2" timeout 100 "${vkmark[@]}" --winsys xcb -b "$3:duration=0.0001" >"$out/$4.log" 2>&1
}

# Permille of pixels that may differ: which texels an anisotropic filter takes is the device's own choice.
tolerance() {
    [ "$1" = texture:anisotropy=16 ] && echo 20 || echo 2
}

echo "1..$((3 * ${#scenes[@]}))"
start_x_server || exit 1
trap stop_x_server EXIT
for scene in "${scenes[@]}"; do
    name=${scene//[:=]/_}
    draw "$reference" '' "$scene" "$name.expected"
    draw "$icd" "$preload" "$scene" "$name.got" &&
        "$tools/compare_png" "$out/$name.expected.png" "$out/$name.got.png" 8 "$(tolerance "$scene")" "$out/$name.diff.png" \
            >>"$out/$name.got.log"
    report $? "$scene: the first frame is the reference's" "$out/$name.got.log"
    grep -qE 'jobs: .* 0 CPU;' "$out/$name.got.log"
    report $? "$scene: no CPU-engine job" "$out/$name.got.log"
    [ -z "$(comm -13 <(messages "$out/$name.expected.log") <(messages "$out/$name.got.log"))" ]
    report $? "$scene: no validation message that the reference has not" "$out/$name.got.log"
done
[ $failures -eq 0 ]
