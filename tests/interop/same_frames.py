#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# same_frames.py LIVE REPLAYED: compares frames pixel by pixel. LIVE is a folder of frame_N.ppm (VC4VK_SHOWN), REPLAYED
# a folder of images whose names end in _N.bmp or _N.ppm. Prints how many frames are compared and which differ; the exit
# status is 0 when each live frame has a replayed one and all are the same. Only red, green and blue are compared, as a
# window shows no alpha.
import pathlib, re, sys
import pictures


def frames(folder):
    found = {}
    for path in pathlib.Path(folder).iterdir():
        name = re.search(r'_(\d+)\.(ppm|bmp)$', path.name)
        if name:
            found[int(name[1])] = path
    return found


def difference(live, replayed):
    """None, or a description of the difference."""
    a, b = pictures.read(live, 'RGB'), pictures.read(replayed, 'RGB')
    if a[:2] != b[:2]:
        return f'{a[0]}x{a[1]} became {b[0]}x{b[1]}'
    if a[2] == b[2]:
        return None
    pixels = sum(a[2][i:i + 3] != b[2][i:i + 3] for i in range(0, len(a[2]), 3))
    return f'{pixels} pixels differ, the most by {max(abs(x - y) for x, y in zip(a[2], b[2]))}'


def main():
    live, replayed = frames(sys.argv[1]), frames(sys.argv[2])
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
