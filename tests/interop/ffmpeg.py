#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# ffmpeg.py TOOLS_DIR ICD.json REFERENCE_ICD.json [PRELOAD]: FFmpeg's Vulkan filters on this driver. Their compute
# shaders sample the planes of a frame with linear filters between texels and store into others. The test computes every
# byte of the result: it must be rounded to nearest, ties either way. (lavapipe rounds some means of four texels up that
# should go down, so it cannot be the reference.) Prints TAP. Skipped where ffmpeg is not installed, and from version 6
# on, which requires Vulkan 1.3.
#
# avgblur_vulkan is tested only with images of one plane and whole workgroups: its shader fills the shared memory of the
# next plane while other invocations still read that of the current one, and it reads shared memory that no invocation
# beyond the image's edge has written.
import os, re, shutil, subprocess, sys, tempfile

icd, preload = sys.argv[2], sys.argv[4] if len(sys.argv) > 4 else ''
out = os.path.join(os.environ.get('VKT_OUT') or tempfile.mkdtemp(), 'ffmpeg')
PLANES = {'gray': [(1, 1, 1)], 'rgba': [(1, 1, 4)], 'yuv420p': [(1, 1, 1), (2, 2, 1), (2, 2, 1)]} # divisors, bytes
RADIUS = 2 # avgblur's default


def ffmpeg(*arguments):
    env = dict(os.environ, VK_ICD_FILENAMES=icd, VK_DRIVER_FILES=icd, LD_PRELOAD=preload, ASAN_OPTIONS='detect_leaks=0')
    return subprocess.run(['ffmpeg', '-hide_banner', '-loglevel', 'error', '-nostdin', *arguments], env=env,
                          capture_output=True, timeout=600)


def picture(size, chain, *options):
    """The bytes of the first frame of the test source after a chain of filters; or None and ffmpeg's messages."""
    got = ffmpeg(*options, '-f', 'lavfi', '-i', f'testsrc2=size={size[0]}x{size[1]}:rate=1', '-frames:v', '1', '-vf', chain,
                 '-f', 'rawvideo', '-')
    return (got.stdout, '') if got.returncode == 0 and got.stdout else (None, got.stderr.decode(errors='replace'))


def filtered(size, format, name):
    return picture(size, f'format={format},hwupload,{name},hwdownload,format={format}',
                   '-init_hw_device', 'vulkan=v:0', '-filter_hw_device', 'v')


def planes(data, size, format):
    """For each plane and byte of its texels: width, height and a function from a texel's coordinates, clamped to the
    edge, to the byte."""
    at = 0
    for x_divisor, y_divisor, texel_B in PLANES[format]:
        w, h = size[0] // x_divisor, size[1] // y_divisor
        for byte in range(texel_B):
            def texel(x, y, base=at + byte, w=w, h=h, texel_B=texel_B):
                return data[base + (min(max(y, 0), h - 1) * w + min(max(x, 0), w - 1)) * texel_B]
            yield w, h, texel
        at += w * h * texel_B


def mean_of_four(texel, x, y):
    """Four times the result of a linear filter at the corner of four texels."""
    return texel(x, y) + texel(x - 1, y) + texel(x, y - 1) + texel(x - 1, y - 1)


# Where a pixel comes from in the source's plane, given its coordinates and its plane's size.
MOVES = {'hflip_vulkan': lambda x, y, w, h: (w - x, y), 'vflip_vulkan': lambda x, y, w, h: (x, h - y),
         'flip_vulkan': lambda x, y, w, h: (w - x, h - y)}


def moved_wrongly(size, format, name, got, source):
    wrong = 0
    for (w, h, before), (_, _, after) in zip(planes(source, size, format), planes(got, size, format)):
        wrong += sum(abs(4 * after(x, y) - mean_of_four(before, *MOVES[name](x, y, w, h))) > 2
                     for y in range(h) for x in range(w))
    return wrong


def blurred_wrongly(size, format, got, source, version):
    """Counts wrong bytes of a blur in two passes, each rounded to bytes: a tie in the first pass may change the second
    by one. A tap of FFmpeg 5 lies at the corner of four texels, one of later versions between two of its pass."""
    aside = 1 if version <= 5 else 0
    (w, h, before), = planes(source, size, format)
    (_, _, after), = planes(got, size, format)
    taps, wrong = 2 * RADIUS + 1, 0
    across = bytearray(w * h)
    for y in range(h):
        pairs = [before(x, y) + before(x, y - aside) for x in range(-RADIUS - 1, w + RADIUS)]
        for x in range(w): # each tap is a pair of columns
            across[y * w + x] = (2 * sum(pairs[x + k] + pairs[x + k + 1] for k in range(taps)) + 4 * taps) // (8 * taps)
    half = lambda x, y: across[min(max(y, 0), h - 1) * w + max(x, 0)]
    for x in range(w):
        pairs = [half(x, y) + half(x - aside, y) for y in range(-RADIUS - 1, h + RADIUS)]
        for y in range(h):
            mean = sum(pairs[y + k] + pairs[y + k + 1] for k in range(taps)) / (4 * taps)
            wrong += abs(after(x, y) - mean) > 1.5
    return wrong


def main():
    if not shutil.which('ffmpeg'):
        print('1..0 # SKIP no ffmpeg')
        return 0
    said = subprocess.run(['ffmpeg', '-version'], capture_output=True, text=True).stdout
    version = int((re.search(r'version n?(?:\d+:)?(\d+)', said) or (0, 0))[1])
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    cases = [((160, 120), format, name) for name in MOVES for format in PLANES]
    cases += [((128, 96), 'gray', 'avgblur_vulkan')]
    failures = 0
    print(f'1..{len(cases)}')
    for number, (size, format, name) in enumerate(cases, 1):
        source, _ = picture(size, f'format={format}')
        got, log = filtered(size, format, name)
        wrong = -1
        if got and source and len(got) == len(source):
            wrong = (moved_wrongly(size, format, name, got, source) if name in MOVES else
                     blurred_wrongly(size, format, got, source, version))
            with open(os.path.join(out, f'{name}.{format}.raw'), 'wb') as f:
                f.write(got)
        print(f'{"ok" if wrong == 0 else "not ok"} {number} - {name} of {format}: every byte is what it should be')
        if wrong:
            failures += 1
            print('\n'.join('# ' + line for line in (log.splitlines() or [f'{wrong} of {len(source)} bytes are wrong'])))
    return failures != 0


if __name__ == '__main__':
    sys.exit(main())
