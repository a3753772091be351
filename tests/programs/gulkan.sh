# SPDX-License-Identifier: MIT
#
# The demonstration that comes with Gulkan, a library for Vulkan and GLib: a turning cube. It asks for a queue family for
# transfers, which lavapipe does not have, so the reference does not run it.
packages=(libgulkan-utils) through='Vulkan, Gulkan'
run_case() {
    clocked=libglib
    still_frame 10 gulkan-cube
}
