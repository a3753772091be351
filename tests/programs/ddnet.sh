packages=(ddnet) through='Vulkan, SDL 2'
run_case() { mkdir -p $home/.local/share/ddnet; frame 60 DDNet "gfx_backend Vulkan" "gfx_fullscreen 0" "gfx_screen_width 800" "gfx_screen_height 600" "cl_show_welcome 0"; }
