# SPDX-License-Identifier: MIT
#
# Scenes of vkmark.
packages=(vkmark) through='Vulkan'
cases=(vertex texture shading desktop cube effect2d)
run_case() {
    clocked=libstdc++
    still_frame 8 vkmark -s 320x240 -b "$1:duration=20"
}
