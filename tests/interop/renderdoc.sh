#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# renderdoc.sh TOOLS_DIR ICD.json REFERENCE_ICD.json [PRELOAD]: RenderDoc captures a frame of vkcube and of vkmark's
# scenes on this driver, under the script's own X server, and replays it; replay_frame.py says what is checked. Prints
# TAP. Skipped where RenderDoc (its Python module) is not installed, without vkmark's scenes where vkmark ($VKMARK) is
# not, and under a sanitizer, whose runtime does not work with RenderDoc's own preloading.
. "$(dirname "$0")/on_driver.sh"
python=
for candidate in python3 /usr/bin/python3; do # the module is built for Debian's own Python
    [ -n "$python" ] || ! "$candidate" -c 'import sys; sys.path.append("/usr/lib/python3/dist-packages"); import renderdoc' \
        2>/dev/null || python=$candidate
done
[ -n "$python" ] || skip "RenderDoc's Python module is not installed"
[ -z "$preload" ] || skip "the sanitizer's runtime and RenderDoc's preloading do not go together"

scenes=()
if ! has_vkmark; then
    echo "# no judge: vkmark: not installed, its scenes are not captured"
else
    scenes=(vertex:device-local=true texture:anisotropy=0 shading:shading=phong effect2d:kernel=blur desktop cube clear)
fi

# RenderDoc caches compiled shaders in the home folder of the password database, whatever HOME says. When it reads a
# file that another process has half written, it logs an error, and all errors in its log count. So only one program
# runs at a time, among all runs of this user.
cache=$(python3 -c 'import os, pwd; print(pwd.getpwuid(os.getuid()).pw_dir)')/.renderdoc
mkdir -p "$cache"

# replays NAME COMMAND...: RENDERDOC_TEMP is set because the log's name is the current second: two runs would share a
# log in /tmp/RenderDoc.
replays() {
    local name=$1
    shift
    mkdir -p "$out/frames" "$out/home"
    HOME=$out/home RENDERDOC_TEMP=$out TMPDIR=$out VC4VK_SHOWN=$out/frames on_driver flock "$cache" timeout 200 \
        "$python" "$here/replay_frame.py" "$out/frames" "$@" >"$out/log" 2>&1
    report $? "$name: a frame is replayed as it was shown" "$out/log"
    rm -rf "$out/frames"
}

begin $((2 + ${#scenes[@]}))
judge renderdoc
replays vkcube vkcube --c 100000 --suppress_popups
replays vkcubepp vkcubepp --c 100000 --suppress_popups
for scene in "${scenes[@]}"; do
    replays "vkmark $scene" "${vkmark[@]}" --winsys xcb --present-mode fifo -s 400x300 -b "$scene:duration=60"
done
no_failures
