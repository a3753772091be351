#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# renderdoc.sh TOOLS_DIR ICD.json REFERENCE_ICD.json [PRELOAD]: RenderDoc captures a frame of vkcube and of vkmark's scenes
# on this driver, under an X server of their own, and replays it: replay_frame.py says what must be so. Prints TAP; skipped
# where RenderDoc (its Python module) is not installed, without vkmark's scenes where vkmark ($VKMARK) is not, and under a
# sanitizer, whose runtime RenderDoc's own preloading does not suffer.
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

# RenderDoc keeps compiled shaders in the home of the password database, whatever HOME says, and complains in its log, all
# errors of which count, when it reads what another has half written: one program at a time, of all runs of this user.
cache=$(python3 -c 'import os, pwd; print(pwd.getpwuid(os.getuid()).pw_dir)')/.renderdoc
mkdir -p "$cache"

# replays NAME COMMAND... RENDERDOC_TEMP: the log is named by the second, two runs would share one in /tmp/RenderDoc.
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
