#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# one.sh PROGRAM CASE ICD.json OUT TOOLS_DIR: runs one case of a program of the corpus on one driver, under an X server of
# its own. OUT ends in .driver or .reference. Leaves OUT.png (a picture) or OUT.txt (a result in words) and OUT.seconds, the time until it was there. The
# exit status is that of the run: 0 if the program did what it should. Called by corpus.py.
#
# A program is described by PROGRAM.sh in this folder, which sets
#
#   packages   Debian packages; the version shown is the first one's
#   npm        packages of the npm registry instead, NAME@VERSION, with all that they need; they are in $modules
#   through    what is between the program and Vulkan
#   tolerance  two numbers: by how much a channel may differ, and how many of a thousand pixels may differ by more
#   cases      names of the runs
#
# and defines run_case CASE, which uses the functions below. It may define tolerance_of CASE, which prints the tolerance of
# a case that has another one, and unusable, which prints why the installed program cannot be used.
set -u
program=$1 case=$2
icd=$(realpath "$3") out=$(realpath -m "$4") tools=$(realpath "$5") # programs change their folder
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../interop/x_server.sh"
export VK_ICD_FILENAMES=$icd VK_DRIVER_FILES=$icd
export PATH=$PATH:/usr/games
# The reference filters textures exactly instead of fast.
export GALLIVM_PERF=no_brilinear,no_rho_approx,no_quad_lod,no_aos_sampling
export LC_ALL=C.UTF-8 SDL_AUDIODRIVER=dummy ALSOFT_DRIVERS=null QT_LOGGING_RULES='qt.vulkan=true'
role=${out##*.} # driver or reference
home=$out.home
export HOME=$home XDG_RUNTIME_DIR=$home/run XDG_CONFIG_HOME=$home/.config XDG_DATA_HOME=$home/.local/share XDG_CACHE_HOME=$home/.cache
through='' tolerance=(6 5) cases=(picture) npm=()
modules=$(dirname "$out")/npm/$program/node_modules
still_clock=$tools/window/libstill_clock.so

# Zink, Mesa's OpenGL on Vulkan, for OpenGL programs.
use_zink() { export MESA_LOADER_DRIVER_OVERRIDE=zink GALLIUM_DRIVER=zink LIBGL_ALWAYS_SOFTWARE=1; }

# Starts a command in a process group of its own, $group, which ends with this script.
group=
start() {
    setsid "$@" &
    group=$!
}

# Runs a command in a process group of its own until a file is there or it ends; ends the group. The status is 0 if the
# file is there.
until_file() { # FILE COMMAND...
    local file=$1
    shift
    start "$@"
    while [ ! -s "$file" ] && kill -0 $group 2>/dev/null; do sleep 0.05; done
    took
    end_group
    [ -s "$file" ]
}
end_group() {
    [ -n "$group" ] || return 0
    kill -- -$group 2>/dev/null
    for _ in {1..40}; do
        kill -0 -- -$group 2>/dev/null || break
        sleep 0.05
    done
    kill -9 -- -$group 2>/dev/null
    wait $group 2>/dev/null
    group=
}

# Ends the measured time.
took() { [ -s "$out.seconds" ] || awk -v a="$began_ns" -v b="$(date +%s%N)" 'BEGIN { printf "%.1f\n", (b - a) / 1e9 }' >"$out.seconds"; }

# Runs a program until its FRAME-th present, whose image is the result (tests/window/frame_layer.c).
frame() { # FRAME COMMAND...
    local frame=$1
    shift
    VK_LAYER_PATH=$tools/window VK_INSTANCE_LAYERS=${layers:-}VK_LAYER_VC4VK_frame FRAME_LAYER=$frame:$out.png \
        until_file "$out.png" "$@"
}

# The same with a clock that advances by one step per read of the program, and of the libraries $clocked
# (tests/window/still_clock.c). Addresses are not random either: some programs begin random numbers with one.
still_frame() { # FRAME COMMAND...
    local frame=$1
    shift
    frame "$frame" env STILL_CLOCK_MS=${step_ms:-20} STILL_CLOCK_LIBRARIES=${clocked:-} LD_PRELOAD="$still_clock" \
        setarch -R "$@"
}

# The name of the driver's device, for programs that use a CPU only if it is named.
device_name() { vulkaninfo --summary 2>/dev/null | sed -n 's/.*deviceName *= *//p' | head -n 1; }

. "$here/$program.sh"
rm -rf "$out.png" "$out.txt" "$out.seconds" "$home"
mkdir -p "$home/run"
chmod 700 "$home/run"
start_x_server || exit 1
finish() { end_group; stop_x_server; rm -rf "$home"; }
trap finish EXIT
trap 'exit 124' TERM INT
began_ns=$(date +%s%N)
run_case "$case"
status=$?
took
exit $status
