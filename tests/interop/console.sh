#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# console.sh TOOLS_DIR ICD.json SHIM.so [PRELOAD]: a third-party program on the bare console. mpv ($MPV is the command;
# without mpv the test is skipped) shows an image through VK_KHR_display on the DRM shim's display, and that image must
# be scanned out. It runs once with the model inside the driver and once with the model behind the shim, whose display
# reads the swapchain images directly. Prints TAP. PRELOAD as in on_driver.sh.
. "$(dirname "$0")/on_driver.sh"
shim=$reference # the third argument is the shim here
read -r -a mpv <<<"${MPV:-mpv}"
"${mpv[@]}" --gpu-context=help 2>/dev/null | grep -q displayvk || skip "no mpv that has the Vulkan context displayvk, and MPV names none"
mkdir -p "$out"

# The size of the display's last mode; no two regions look the same.
PYTHONPATH=$here python3 - "$out/expected.png" <<'PYTHON'
import pictures, sys
WIDTH, HEIGHT = 640, 480
pictures.write(sys.argv[1], WIDTH, HEIGHT, 'RGB', (
    c for y in range(HEIGHT) for x in range(WIDTH) for c in (x * 255 // WIDTH, y * 255 // HEIGHT, (x ^ y) % 256)))
PYTHON

# mpv uses a CPU device only if it is named. An image of three channels would be unpacked by a compute shader of
# libplacebo's that needs more invocations than the device has, and than Vulkan requires.
show() { # DEVICE
    HOME=$out XDG_RUNTIME_DIR=$out VK_ICD_FILENAMES=$icd VC4VK_DEVICE=$1 VC4VK_DEBUG=perf \
        VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation VC4VK_SHIM_SCREENSHOT=$out/$1.png LD_PRELOAD="$preload $shim" \
        timeout 280 "${mpv[@]}" --no-config --no-audio --no-osc --osd-level=0 --no-terminal --log-file="$out/$1.mpv.log" \
        --vo=gpu --gpu-api=vulkan --gpu-context=displayvk '--vulkan-device=VideoCore IV model (vc4vk)' \
        --vulkan-display-mode=5 --vf=format=rgba --dither-depth=no --image-display-duration=0.2 "$out/expected.png" \
        >"$out/$1.log" 2>&1
}

# Three messages are not the driver's fault. Libplacebo calls functions of an extension that it has not enabled, because
# the validation layer exposes them. It asks whether memory can be shared by handles of extensions that the driver does
# not have; the answer is no, and newer layers call the question wrong. And sometimes, on a busy machine, the layer reports that the semaphore which
# presents wait for is still in use when libplacebo destroys it at exit: Vulkan 1.1 cannot tell when a present has
# finished with it. (Lines of older layers begin with the identifier, those of newer ones do not.)
has_messages() { # LOG
    grep -E '(VUID|SYNC|UNASSIGNED)-[A-Za-z0-9-]+' "$1" | grep -v 'UNASSIGNED-GeneralParameterError-ExtensionNotEnabled' |
        grep -vE 'VUID-VkPhysicalDeviceExternal(Buffer|ImageFormat)Info-handleType-parameter' |
        grep -qv 'VUID-vkDestroySemaphore-semaphore-01137.*\[swapchain out\]'
}

# Debian 13's libplacebo requires Vulkan 1.2. The pattern names 1.1, so that a driver that reports more is not skipped.
too_old='Device API version 1\.1\.[0-9]* is lower than the minimum required version'
rm -f "$out"/*.mpv.log
show model
! grep -q "$too_old" "$out/model.mpv.log" || skip "this mpv wants a newer Vulkan than 1.1, which is what the driver has"

echo "1..6"
if has_validation; then judge 'validation layer'; else echo '# no judge: validation layer: not installed'; fi
for device in model drm; do
    rm -f "$out/$device.png"
    show $device
    report $? "$device: mpv shows a picture on the console" "$out/$device.log"
    "$tools/compare_png" "$out/expected.png" "$out/$device.png" 2 0 "$out/$device.diff.png" >>"$out/$device.log" 2>&1
    report $? "$device: that picture is scanned out" "$out/$device.log"
    # Older libplacebos draw with native jobs, newer ones with lowered ones.
    grep -qE 'jobs: ([1-9]|0 native, [1-9]).* 0 CPU;' "$out/$device.log" && ! has_messages "$out/$device.log"
    report $? "$device: the chip draws it, and there is not one validation message" "$out/$device.log"
done
no_failures
