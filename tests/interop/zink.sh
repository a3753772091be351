#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# zink.sh TOOLS_DIR ICD.json REFERENCE_ICD.json [PRELOAD]: OpenGL through Mesa's zink on this driver, under the script's
# own X server. First glmark2's scenes that validate their own images (--validate), each on this driver and on the
# reference. Then frames of glxgears and of glmark2's scenes that draw geometry or filter images, compared with the
# reference's: at most 5 of a thousand pixels (edges) may differ. For those the programs see a clock that advances by
# one step per read (still_clock.c). Last, programs with geometry and with tessellation shaders, one whose state changes
# between draws (gl_geometry.py, gl_tessellation.py, gl_state.py), and the version of OpenGL. Prints TAP. Skipped where
# glmark2 or zink is not installed.
. "$(dirname "$0")/on_driver.sh"
command -v glmark2 >/dev/null || skip "no glmark2"
ls /usr/lib/*/dri/zink_dri.so >/dev/null 2>&1 || skip "no zink (libgl1-mesa-dri)"
export MESA_LOADER_DRIVER_OVERRIDE=zink GALLIUM_DRIVER=zink LIBGL_ALWAYS_SOFTWARE=1
scenes=(build:use-vbo=true texture:texture-filter=linear shading:shading=phong bump:bump-render=height
    'effect2d:kernel=0,1,0;1,-4,1;0,1,0;' pulsar:light=false:quads=5:texture=false)

# Whether every scene of the log was drawn and validated.
all_right() { # LOG
    [ "$(grep -c 'Validation: Success' "$1")" -eq ${#scenes[@]} ] && ! grep -q 'Validation: Failure' "$1"
}

pictured=(build shading:shading=phong bump:bump-render=normals effect2d desktop:effect=blur desktop:effect=shadow ideas
    jellyfish shadow buffer)
[ -z "$preload" ] || export ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0
still_clock=$(realpath "$tools/../window")/libstill_clock.so

# frame_of with a stepped clock, on the driver or on the reference.
still_frame() { # FRAME OUT.png on_driver|on_reference COMMAND...
    local frame=$1 picture=$2 runner=$3 libraries=$still_clock
    shift 3
    # The sanitizer's runtime reads the clock, too: the stepped clock must be loaded before it.
    [ "$runner" != on_driver ] || libraries=$still_clock${preload:+:$preload}
    XDG_RUNTIME_DIR=$out frame_of "$frame" "$picture" "$runner" env STILL_CLOCK_MS=20 LD_PRELOAD="$libraries" "$@"
}

# glxgears runs until it is told to end.
gears() { # OUT.png
    glxgears &
    local pid=$!
    for _ in {1..600}; do
        [ ! -e "$1" ] && kill -0 $pid 2>/dev/null || break
        sleep 0.2
    done
    kill $pid 2>/dev/null
    wait $pid 2>/dev/null
    [ -e "$1" ]
}

# Draws the same frame on both drivers and compares.
same_frame() { # NAME COMMAND...
    local name=$1 runner
    shift
    for runner in reference driver; do
        still_frame 8 "$out/$name.$runner.png" on_$runner "$@" >>"$out/$name.log" 2>&1 || return 1
    done
    "$tools/compare_png" "$out/$name.reference.png" "$out/$name.driver.png" 6 5 "$out/$name.diff.png" >>"$out/$name.log"
}

begin $((8 + ${#pictured[@]}))
arguments=(--validate -s 320x240)
for scene in "${scenes[@]}"; do
    arguments+=(-b "$scene")
done
XDG_RUNTIME_DIR=$out on_driver timeout 600 glmark2 "${arguments[@]}" >"$out/glmark2.log" 2>&1
grep -q 'GL_RENDERER:.*zink.*VideoCore IV' "$out/glmark2.log"
report $? "glmark2: OpenGL is zink on this driver" "$out/glmark2.log"
all_right "$out/glmark2.log"
report $? "glmark2: ${#scenes[@]} scenes are right" "$out/glmark2.log"
XDG_RUNTIME_DIR=$out on_reference timeout 600 glmark2 "${arguments[@]}" >"$out/glmark2.expected.log" 2>&1
all_right "$out/glmark2.expected.log"
report $? "glmark2: the reference thinks so, too" "$out/glmark2.expected.log"

if command -v glxgears >/dev/null; then
    same_frame glxgears bash -c "$(declare -f gears); gears \"\${FRAME_LAYER#*:}\""
    report $? "glxgears: frame 8 is the reference's but for edges" "$out/glxgears.log"
else
    number=$((number + 1))
    echo "ok $number - glxgears # SKIP glxgears (mesa-utils) is not installed"
fi
for scene in "${pictured[@]}"; do
    name=${scene//[:=]/_}
    same_frame "$name" timeout 300 glmark2 -s 320x240 -b "$scene:nframes=10"
    report $? "glmark2 $scene: frame 8 is the reference's but for edges" "$out/$name.log"
done

# Geometry and tessellation shaders, and what transform feedback captures of them: the same numbers, and the same picture
# but for edges.
same_program() { # NAME
    local name=$1 runner
    for runner in reference driver; do
        XDG_RUNTIME_DIR=$out on_$runner timeout 300 python3 "$here/gl_$name.py" "$out/$name.$runner.png" \
            >"$out/$name.$runner.txt" 2>"$out/$name.$runner.err" || return 1 # Mesa's own messages are not compared
    done
    grep -q 'renderer: zink.*VideoCore IV' "$out/$name.driver.txt" &&
        diff <(grep -Ev '^(renderer|version)' "$out/$name.reference.txt") <(grep -Ev '^(renderer|version)' "$out/$name.driver.txt") &&
        "$tools/compare_png" "$out/$name.reference.png" "$out/$name.driver.png" 6 5 "$out/$name.diff.png"
}
same_program geometry >"$out/geometry.log" 2>&1
report $? "geometry shaders: picture, captured values and counts are the reference's" "$out/geometry.log"
same_program tessellation >"$out/tessellation.log" 2>&1
report $? "tessellation shaders: picture, captured places and counts are the reference's" "$out/tessellation.log"
same_program state >"$out/state.log" 2>&1
report $? "state that changes between draws: picture and colours are the reference's" "$out/state.log"

grep -qE '^version: 4\.[5-9]' "$out/tessellation.driver.txt"
report $? "OpenGL 4.5 or later, $(grep '^version' "$out/tessellation.driver.txt")" "$out/tessellation.driver.txt"
no_failures
