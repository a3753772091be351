#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# same_frames.py LIVE REPLAYED: compares frames pixel by pixel. LIVE is a folder of frame_N.ppm (VC4VK_SHOWN), REPLAYED
# a folder of images whose names end in _N.bmp or _N.ppm. Prints how many frames are compared and which differ; the exit
# status is 0 when each live frame has a replayed one and all are the same. Only red, green and blue are compared, as a
# window shows no alpha.
import pathlib, re, struct, sys


def read_ppm(data):
    width, height = map(int, re.match(rb'P6\s+(\d+)\s+(\d+)\s+255\s', data).groups())
    return width, height, data[len(data) - width * height * 3:]


def read_bmp(data):
    offset, = struct.unpack_from('<I', data, 10)
    width, height, _, bits = struct.unpack_from('<iiHH', data, 18)
    pixel_B = bits // 8
    stride_B = (width * pixel_B + 3) & ~3
    rows = []
    for y in range(abs(height)):
        at = offset + (y if height < 0 else height - 1 - y) * stride_B
        row = data[at:at + width * pixel_B]
        rgb = bytearray(width * 3)
        for channel in range(3):
            rgb[channel::3] = row[2 - channel::pixel_B]
        rows.append(bytes(rgb))
    return width, abs(height), b''.join(rows)


def read(path):
    data = path.read_bytes()
    return read_ppm(data) if data[:2] == b'P6' else read_bmp(data)


def pictures(folder):
    found = {}
    for path in pathlib.Path(folder).iterdir():
        name = re.search(r'_(\d+)\.(ppm|bmp)$', path.name)
        if name:
            found[int(name[1])] = path
    return found


def difference(live, replayed):
    """None, or a description of the difference."""
    a, b = read(live), read(replayed)
    if a[:2] != b[:2]:
        return f'{a[0]}x{a[1]} became {b[0]}x{b[1]}'
    if a[2] == b[2]:
        return None
    pixels = sum(a[2][i:i + 3] != b[2][i:i + 3] for i in range(0, len(a[2]), 3))
    return f'{pixels} pixels differ, the most by {max(abs(x - y) for x, y in zip(a[2], b[2]))}'


def main():
    live, replayed = pictures(sys.argv[1]), pictures(sys.argv[2])
    bad = 0
    for number in sorted(live):
        text = difference(live[number], replayed[number]) if number in replayed else 'not replayed'
        if text:
            bad += 1
            print(f'frame {number}: {text}')
    print(f'{len(live)} frames, {len(live) - bad} the same')
    sys.exit(bad > 0 or not live)


if __name__ == '__main__':
    main()
