# SPDX-License-Identifier: MIT
#
# A Wayland compositor, without a screen.
packages=(cage) through="Vulkan, wlroots"
unusable() {
    ldd "$(command -v cage)" 2>/dev/null | grep -o '/[^ ]*libwlroots[^ ]*' | xargs -r ldd | grep -q libvulkan ||
        echo 'its wlroots has no Vulkan renderer'
}
run_case() {
    WLR_BACKENDS=headless WLR_LIBINPUT_NO_DEVICES=1 WLR_RENDERER=vulkan until_file "$out.txt" cage -- \
        sh -c 'echo "a program runs" >"$0"; sleep 5' "$out.txt"
}
