# SPDX-License-Identifier: MIT
#
# The cube that comes with the Vulkan loader.
packages=(vulkan-tools) through='Vulkan' tolerance=(6 2)
run_case() {
    frame 50 vkcube --suppress_popups
}
