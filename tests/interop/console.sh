#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# console.sh TOOLS_DIR ICD.json SHIM.so [PRELOAD]: a program that others wrote on the bare console: mpv ($MPV is how it is
# called; without it the test is skipped) shows a picture by VK_KHR_display, on the display of the DRM shim, and what was
# scanned out is that picture: drawn by the chip's model inside the driver and by that behind the shim, whose display
# reads the swapchain's images themselves. Prints TAP. PRELOAD as in vkcube.sh.
. "$(dirname "$0")/on_driver.sh"
shim=$reference # what stands there
read -r -a mpv <<<"${MPV:-mpv}"
"${mpv[@]}" --gpu-context=help 2>/dev/null | grep -q displayvk || skip "no mpv that has the Vulkan context displayvk, and MPV names none"
mkdir -p "$out"

# As large as the display's last mode, and alike nowhere.
python3 - "$out/expected.png" <<'PYTHON'
import struct, sys, zlib
WIDTH, HEIGHT = 640, 480
def chunk(name, data):
    return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
rows = b''.join(b'\0' + bytes(c for x in range(WIDTH) for c in (x * 255 // WIDTH, y * 255 // HEIGHT, (x ^ y) % 256))
                for y in range(HEIGHT))
with open(sys.argv[1], 'wb') as out:
    out.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', WIDTH, HEIGHT, 8, 2, 0, 0, 0)) +
              chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))
PYTHON

# The device is named because mpv takes none that is a CPU otherwise. Three channels would be unpacked by a compute
# program of libplacebo's that needs more invocations than the device has, and than Vulkan asks for.
show() { # DEVICE
    HOME=$out XDG_RUNTIME_DIR=$out VK_ICD_FILENAMES=$icd VC4VK_DEVICE=$1 VC4VK_DEBUG=perf \
        VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation VC4VK_SHIM_SCREENSHOT=$out/$1.png LD_PRELOAD="$preload $shim" \
        timeout 280 "${mpv[@]}" --no-config --no-audio --no-osc --osd-level=0 --no-terminal --log-file="$out/$1.mpv.log" \
        --vo=gpu --gpu-api=vulkan --gpu-context=displayvk '--vulkan-device=VideoCore IV model (vc4vk)' \
        --vulkan-display-mode=5 --vf=format=rgba --dither-depth=no --image-display-duration=0.2 "$out/expected.png" \
        >"$out/$1.log" 2>&1
}

# Two messages are not about the driver. Libplacebo calls functions of an extension that it has not enabled, because the
# layer has them. And now and then, on a busy machine, the layer says that the semaphore which presentations wait for is
# still in use when libplacebo destroys it at its end: Vulkan 1.1 cannot tell when a presentation is done with one.
has_messages() { # LOG
    grep -E '(VUID|SYNC|UNASSIGNED)-[A-Za-z0-9-]+' "$1" | grep -v '^UNASSIGNED-GeneralParameterError-ExtensionNotEnabled' |
        grep -qv '^VUID-vkDestroySemaphore-semaphore-01137.*\[swapchain out\]'
}

# Debian 13's libplacebo wants Vulkan 1.2. The pattern names 1.1, so that a driver that reports more is not skipped.
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
    grep -qE 'jobs: [1-9].* 0 CPU;' "$out/$device.log" && ! has_messages "$out/$device.log"
    report $? "$device: native jobs, and not one validation message" "$out/$device.log"
done
no_failures
