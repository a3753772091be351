#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# renderdoc.sh TOOLS_DIR ICD.json REFERENCE_ICD.json [PRELOAD]: RenderDoc captures a frame of vkcube and of vkmark's scenes
# on this driver, under an X server of their own, and replays it: replay_frame.py says what must be so. Prints TAP; skipped
# where RenderDoc (its Python module) is not installed, without vkmark's scenes where vkmark ($VKMARK) is not, and under a
# sanitizer, whose runtime RenderDoc's own preloading does not suffer.
set -u
icd=$2 preload=${4:-}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/x_server.sh"
python3 -c 'import sys; sys.path.append("/usr/lib/python3/dist-packages"); import renderdoc' 2>/dev/null ||
    { echo "1..0 # SKIP no RenderDoc"; exit 0; }
[ -z "$preload" ] || { echo "1..0 # SKIP not under a sanitizer"; exit 0; }
read -r -a vkmark <<<"${VKMARK:-vkmark}"
out=${VKT_OUT:-$(mktemp -d)}/renderdoc
rm -rf "$out"
mkdir -p "$out/home"
number=0 failures=0

scenes=()
if command -v "${vkmark[0]}" >/dev/null; then
    scenes=(vertex:device-local=true texture:anisotropy=0 shading:shading=phong effect2d:kernel=blur desktop cube clear)
fi

# replays NAME FRAME COMMAND...
replays() {
    local name=$1
    shift
    number=$((number + 1))
    mkdir -p "$out/frames"
    if HOME=$out/home TMPDIR=$out VC4VK_SHOWN=$out/frames timeout 200 python3 "$here/replay_frame.py" "$out/frames" "$@" \
        >"$out/log" 2>&1; then
        echo "ok $number - $name: frame $1 is replayed as it was shown"
    else
        failures=$((failures + 1))
        echo "not ok $number - $name"
        tail -n 20 "$out/log" | sed 's/^/# /'
    fi
    rm -rf "$out/frames"
}

echo "1..$((2 + ${#scenes[@]}))"
start_x_server || exit 1
trap stop_x_server EXIT
export VK_ICD_FILENAMES=$icd
replays vkcube 10 vkcube --c 20 --suppress_popups
replays vkcubepp 5 vkcubepp --c 20 --suppress_popups
for scene in "${scenes[@]}"; do
    replays "vkmark $scene" 3 "${vkmark[@]}" --winsys xcb --present-mode fifo -s 400x300 -b "$scene:duration=2"
done
[ $failures -eq 0 ]
