# SPDX-License-Identifier: MIT
#
# Demonstrations of Direct3D 12.
packages=(vkd3d-demos) through='Vulkan, vkd3d'
cases=(gears triangle)
run_case() { frame 1 "vkd3d-$1"; }
