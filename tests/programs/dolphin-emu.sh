# SPDX-License-Identifier: MIT
#
# An emulator of consoles, with a program of one instruction, a jump to itself. It presents nothing, because that
# program shows nothing: the result is that it starts with the driver's device and goes on.
packages=(dolphin-emu) through=Vulkan
run_case() {
    python3 - "$home/loop.dol" <<'PYTHON'
import struct, sys
header = bytearray(256)
struct.pack_into('>I', header, 0x00, 256)         # text 0: offset in the file,
struct.pack_into('>I', header, 0x48, 0x80003100)  # address,
struct.pack_into('>I', header, 0x90, 32)          # size
struct.pack_into('>I', header, 0xe0, 0x80003100)  # entry point
open(sys.argv[1], 'wb').write(bytes(header) + struct.pack('>I', 0x48000000) * 8)
PYTHON
    start dolphin-emu-nogui --platform=x11 --video_backend=Vulkan --user="$home/dolphin" --exec="$home/loop.dol"
    for _ in {1..100}; do
        kill -0 $group && sleep 0.1 || return 1
    done
    grep -q "$(basename "$(sed -n 's/.*"library_path" *: *"\(.*\)".*/\1/p' "$icd")")" /proc/$group/maps && echo 'it runs' >"$out.txt"
}
