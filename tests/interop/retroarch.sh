#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# retroarch.sh TOOLS_DIR ICD.json REFERENCE_ICD.json [PRELOAD]: RetroArch's Vulkan driver and its menus on this driver,
# under the script's own X server. $RETROARCH is the program; without it, or if it was built without Vulkan (Debian
# 12's), the test is skipped. Prints TAP: each menu runs, no job runs on the CPU engine, the validation layer
# (synchronisation included) reports nothing, and the menu without animation equals the reference's, pixel by pixel.
# PRELOAD: on_driver.sh.
. "$(dirname "$0")/on_driver.sh"
retroarch=${RETROARCH:-retroarch}
"$retroarch" --features 2>/dev/null | grep -qE 'Vulkan[^:]*: *yes' ||
    skip "no RetroArch that was built with Vulkan (Debian 12's is not), and RETROARCH names none"

# The configuration keeps the user's files out and turns the clock in the corner off.
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

show() { # on_driver|on_reference MENU NAME
    HOME=$out XDG_CONFIG_HOME=$out XDG_RUNTIME_DIR=$out VC4VK_DEBUG=perf last_frame_of "$tools" "$out/$3.png" \
        validated "$1" timeout 100 "$retroarch" --verbose --menu --config "$out/$2.cfg" --max-frames=20 >"$out/$3.log" 2>&1
}

begin 10
layer_and_reference_judge
for menu in rgui xmb ozone; do
    configure "$menu"
    show on_driver "$menu" "$menu.got" && grep -q 'Using GPU: VideoCore IV' "$out/$menu.got.log"
    report $? "$menu: 20 frames" "$out/$menu.got.log"
    grep -qE 'jobs: .* 0 CPU;' "$out/$menu.got.log"
    report $? "$menu: no CPU-engine job" "$out/$menu.got.log"
    ! grep -E '(VUID|SYNC|UNASSIGNED)-' "$out/$menu.got.log" >"$out/$menu.messages"
    report_validated $? "$menu: not one validation message" "$out/$menu.messages"
done
show on_reference rgui rgui.expected
"$tools/compare_png" "$out/rgui.expected.png" "$out/rgui.got.png" 4 0 "$out/rgui.diff.png" >>"$out/rgui.got.log" 2>&1
report $? "rgui: the last frame is the reference's" "$out/rgui.got.log"
no_failures
