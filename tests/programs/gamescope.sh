# SPDX-License-Identifier: MIT
#
# A compositor in a window, which shows glxgears.
packages=(gamescope mesa-utils) through='Vulkan'
run_case() {
    use_zink
    frame 5 gamescope -W 320 -H 240 -w 320 -h 240 -- glxgears
}
