# SPDX-License-Identifier: MIT
#
# The layer's effects on vkcube.
packages=(vkbasalt vulkan-tools) through='Vulkan layer' tolerance=(6 2)
cases=(cas fxaa smaa dls)
run_case() {
    printf 'effects = %s\ncasSharpness = 0.8\nenableOnLaunch = True\n' "$1" >"$home/vkBasalt.conf"
    export ENABLE_VKBASALT=1 VKBASALT_CONFIG_FILE="$home/vkBasalt.conf"
    frame 50 vkcube --suppress_popups
}
