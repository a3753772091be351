#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# retroarch.sh TOOLS_DIR ICD.json REFERENCE_ICD.json [PRELOAD]: RetroArch's Vulkan driver and its menus on this driver, under
# an X server of their own. $RETROARCH is the program; where there is none, or one that was built without Vulkan (Debian
# 12's), the test is skipped. Prints TAP: each menu runs, no job takes the CPU engine, the validation layer
# (synchronisation included) is silent, and the menu that moves nothing is the reference's, pixel by pixel. PRELOAD as in
# vkcube.sh.
set -u
tools=$1 icd=$2 reference=$3 preload=${4:-}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/x_server.sh"
retroarch=${RETROARCH:-retroarch}
"$retroarch" --features 2>/dev/null | grep -qE 'Vulkan[^:]*: *yes' ||
    { echo "1..0 # SKIP no RetroArch with Vulkan (RETROARCH)"; exit 0; }
out=${VKT_OUT:-$(mktemp -d)}/retroarch
mkdir -p "$out"
number=0 failures=0
[ -z "$preload" ] || export ASAN_OPTIONS=detect_leaks=0

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

# Nothing of the user's is read or written; the clock in the corner is off.
configure() { # MENU
    cat >"$out/$1.cfg" <<CONFIG
video_driver = "vulkan"
video_fullscreen = "false"
video_vsync = "false"
menu_driver = "$1"
menu_timedate_enable = "false"
menu_enable_widgets = "false"
rgui_show_start_screen = "false"
audio_enable = "false"
input_driver = "x"
joypad_driver = "null"
pause_nonactive = "false"
config_save_on_exit = "false"
assets_directory = "/usr/share/libretro/assets"
CONFIG
}

show() { # ICD PRELOAD MENU NAME
    VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation \
        VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT \
        HOME=$out XDG_CONFIG_HOME=$out XDG_RUNTIME_DIR=$out VC4VK_DEBUG=perf VK_ICD_FILENAMES=$1 \
        last_frame_of "$tools" "$out/$4.png" env LD_PRELOAD="$2" \
        timeout 100 "$retroarch" --verbose --menu --config "$out/$3.cfg" --max-frames=20 >"$out/$4.log" 2>&1
}

echo "1..10"
start_x_server || exit 1
trap stop_x_server EXIT
for menu in rgui xmb ozone; do
    configure "$menu"
    show "$icd" "$preload" "$menu" "$menu.got" && grep -q 'Using GPU: VideoCore IV' "$out/$menu.got.log"
    report $? "$menu: 20 frames" "$out/$menu.got.log"
    grep -qE 'jobs: .* 0 CPU;' "$out/$menu.got.log"
    report $? "$menu: no CPU-engine job" "$out/$menu.got.log"
    ! grep -E '(VUID|SYNC|UNASSIGNED)-' "$out/$menu.got.log" >"$out/$menu.messages"
    report $? "$menu: not one validation message" "$out/$menu.messages"
done
show "$reference" '' rgui rgui.expected
"$tools/compare_png" "$out/rgui.expected.png" "$out/rgui.got.png" 4 0 "$out/rgui.diff.png" >>"$out/rgui.got.log" 2>&1
report $? "rgui: the last frame is the reference's" "$out/rgui.got.log"
[ $failures -eq 0 ]
