#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares pictures of the guest's screen with what it must have shown.

    screens.py CONSOLE PICTURES EXPECTED FRAMES

PICTURES/console.png must be EXPECTED/console.ppm, pixel by pixel. In PICTURES/weston.png and PICTURES/xorg.png a window of
vkcube must show one of FRAMES/frame_N.ppm, which the model has drawn outside the guest. Where weston has put the window is in
CONSOLE, what the guest printed; on Xorg's black screen it is what is not black. Prints TAP."""
import pathlib
import re
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / 'tests/interop'))
import pictures

# vkcube computes its matrices on the guest's processor, whose compiler joins multiplications and additions: colours may be
# rounded to the other side, and a pixel at an edge may belong to the other side. The console's picture has no such reason.
TOLERANCE = 1
ALLOWED_PERMILLE = 2


def crop(picture, box):
    width, _, rgb = picture
    x, y, w, h = box
    return b''.join(rgb[3 * (row * width + x):3 * (row * width + x + w)] for row in range(y, y + h))


def differing(a, b, tolerance=0):
    """The number of pixels that differ by more than the tolerance."""
    if a == b:
        return 0
    return sum(any(abs(a[i + k] - b[i + k]) > tolerance for k in range(3)) for i in range(0, len(a), 3))


def lit_box(picture):
    """The smallest box around what is not black."""
    width, height, rgb = picture
    rows = [y for y in range(height) if any(rgb[3 * y * width:3 * (y + 1) * width])]
    columns = [x for x in range(width) if any(any(rgb[3 * (y * width + x):3 * (y * width + x) + 3]) for y in rows)]
    return (columns[0], rows[0], columns[-1] - columns[0] + 1, rows[-1] - rows[0] + 1) if columns else None


def weston_box(console):
    found = re.search(r'^# plane: crtc-pos=(\d+)x(\d+)\+(\d+)\+(\d+) size=256x256 ', console, re.M)
    return (int(found[3]), int(found[4]), int(found[1]), int(found[2])) if found else None


def best_frame(shown, box, frames):
    """(pixels of another colour, those beyond the tolerance, name) of the frame that is most like the window, whose lower and
    right parts may be cut off."""
    best = None
    for path in frames:
        if crop(pictures.read(path, 'RGB'), (0, 0, box[2], box[3])) == shown:
            return 0, 0, path.stem
    for path in frames:
        frame = crop(pictures.read(path, 'RGB'), (0, 0, box[2], box[3]))
        found = differing(shown, frame), differing(shown, frame, TOLERANCE), path.stem
        if best is None or found < best:
            best = found
    return best


def check_window(picture, box, frames):
    if not box:
        return False, 'no window is seen'
    if box[2] < 128 or box[3] < 128 or box[2] > 256 or box[3] > 256:
        return False, f'the window has {box[2]} x {box[3]} pixels'
    count, beyond, name = best_frame(crop(picture, box), box, frames)
    permille = 1000 * beyond / (box[2] * box[3])
    return permille <= ALLOWED_PERMILLE, (f'{name}, {count} of {box[2]} x {box[3]} pixels at {box[0]}, {box[1]} differ, {beyond} by '
                                          f'more than {TOLERANCE}')


def cases(console, folder, expected, frames):
    """Yields (passed, text)."""
    for name in 'console', 'weston', 'xorg':
        path = folder / f'{name}.png'
        if not path.exists():
            yield False, f'{name}: no picture was taken'
            continue
        picture = pictures.read(path, 'RGB')
        if name == 'console':
            wanted = pictures.read(expected / f'{name}.ppm', 'RGB')
            count = differing(picture[2], wanted[2]) if picture[:2] == wanted[:2] else -1
            yield count == 0, f'{name}: what was presented is shown, {count} pixels differ'
        else:
            box = weston_box(console) if name == 'weston' else lit_box(picture)
            passed, text = check_window(picture, box, frames)
            yield passed, f'{name}: a frame of vkcube is shown: {text}'


def main():
    console = pathlib.Path(sys.argv[1]).read_text(errors='replace').replace('\r', '')
    frames = sorted(pathlib.Path(sys.argv[4]).glob('frame_*.ppm'))
    print('1..3')
    for number, (passed, text) in enumerate(cases(console, pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), frames), 1):
        print(f'{"ok" if passed else "not ok"} {number} - {text}')


if __name__ == '__main__':
    main()
