# SPDX-License-Identifier: MIT
#
# A strategy game's Vulkan renderer: its title screen. A corner of it names the driver, a notice slides in by fractions of a
# pixel, and the photograph behind is scaled.
packages=(warzone2100) through='Vulkan, SDL 2' tolerance=(6 40)
run_case() {
    mkdir "$home/config"
    still_frame 30 warzone2100 --gfxbackend=vulkan --nosound --window --resolution=640x480 --configdir="$home/config"
}
