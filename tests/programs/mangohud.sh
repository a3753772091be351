# SPDX-License-Identifier: MIT
#
# The overlay on vkcube.
packages=(mangohud vulkan-tools) through='Vulkan layer'
run_case() {
    export MANGOHUD=1 MANGOHUD_CONFIG=version,resolution,arch,fps=0,frame_timing=0,cpu_stats=0,gpu_stats=0
    frame 50 vkcube --suppress_popups
}
