# SPDX-License-Identifier: MIT
#
# A menu of the frontend of emulators.
packages=(retroarch) through='Vulkan' tolerance=(4 1)
unusable() { retroarch --features 2>/dev/null | grep -qE 'Vulkan[^:]*: *yes' || echo 'built without Vulkan'; }
run_case() {
    printf '%s = "%s"\n' video_driver vulkan video_fullscreen false menu_driver rgui menu_timedate_enable false \
        menu_enable_widgets false rgui_show_start_screen false audio_enable false input_driver x joypad_driver null \
        pause_nonactive false >"$home/retroarch.cfg"
    frame 20 retroarch --menu --config "$home/retroarch.cfg"
}
