# SPDX-License-Identifier: MIT
#
# A game in two dimensions.
packages=(ddnet) through='Vulkan, SDL 2'
unusable() {
    dpkg -L ddnet-data 2>/dev/null | grep -q '\.spv$' || echo 'packaged without the compiled shaders of its Vulkan backend'
}
run_case() {
    mkdir -p "$XDG_DATA_HOME/ddnet"
    clocked=libSDL
    step_ms=5
    still_frame 60 DDNet 'gfx_backend Vulkan' 'gfx_fullscreen 0' 'gfx_screen_width 800' 'gfx_screen_height 600' \
        'cl_show_welcome 0'
}
