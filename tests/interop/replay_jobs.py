#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Replays jobs recorded from Mesa's vc4 driver on the model and compares each picture with the expected one.
# They are the judge of the model that nobody here wrote.
#
#   replay_jobs.py VC4_REPLAY JOBS_DIR [--keep DIR] [--only NAME,NAME]
#
# JOBS_DIR holds NAME.vc4trace, NAME.png and jobs.tsv. Prints TAP, one case per scene. A scene that fails leaves got and
# difference in DIR.
import pathlib, struct, subprocess, sys, tempfile, zlib

# Differences that come from the chip: at most so many permille are bad, and why.
EXPLAINED = {
    # The chip's products are cut toward zero [measured on a Raspberry Pi by two projects: VC4CL, page on numerical
    # compliance; V3DLib, FAQ: "always rounds downwards"; both name it as what tells VideoCore IV from VI]. A coordinate
    # such as 46/48, which a float holds a little too small, times 768 is 735.99996, and ftoi cuts that to 735: the vertex
    # is a step of 1/16 px too low, an eighth of a texel at two texels a pixel. W is 1, whose reciprocal is exact.
    'texture_minify': (100, 'products are cut: vertices are 1/16 px low'),
    'texture_wrap': (100, 'products are cut: vertices are 1/16 px low'),
    # The recorded program uses X_PIXEL_COORD as it is, without the half pixel; the picture has x + 0.5.
    'fs_inputs': (270, 'the recorded program takes pixel corners for gl_FragCoord'),
}
TIMEOUT_S = 120


def paeth(a, b, c):
    p = a + b - c
    pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
    return a if pa <= pb and pa <= pc else b if pb <= pc else c


def read_png(path):
    """Width, height and RGBA bytes of an 8-bit RGBA or RGB picture."""
    data = path.read_bytes()
    if data[:8] != b'\x89PNG\r\n\x1a\n':
        raise ValueError('no PNG')
    at, packed = 8, b''
    while at < len(data):
        size, kind = struct.unpack('>I4s', data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b'IHDR':
            width, height, depth, colour, _, _, interlace = struct.unpack('>IIBBBBB', body)
        elif kind == b'IDAT':
            packed += body
        at += 12 + size
    if depth != 8 or colour not in (2, 6) or interlace:
        raise ValueError(f'depth {depth}, colour type {colour}, interlace {interlace}')
    n = 4 if colour == 6 else 3
    raw, stride = zlib.decompress(packed), width * n
    rows, previous = [], bytearray(stride)
    for y in range(height):
        filt, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride):
            a = line[x - n] if x >= n else 0
            b = previous[x]
            c = previous[x - n] if x >= n else 0
            line[x] = (line[x] + (0, a, b, (a + b) // 2, paeth(a, b, c))[filt]) & 255
        rows.append(line)
        previous = line
    flat = b''.join(rows)
    if n == 3:
        flat = b''.join(flat[i:i + 3] + b'\xff' for i in range(0, len(flat), 3))
    return width, height, flat


def write_png(path, width, height, rgba):
    def chunk(kind, body):
        return struct.pack('>I', len(body)) + kind + body + struct.pack('>I', zlib.crc32(kind + body))
    raw = b''.join(b'\0' + rgba[y * width * 4:(y + 1) * width * 4] for y in range(height))
    path.write_bytes(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 6, 0, 0, 0)) +
                     chunk(b'IDAT', zlib.compress(raw)) + chunk(b'IEND', b''))


def compare(got, want, tolerance):
    """(bad pixels per thousand, greatest difference, picture of the differences)."""
    bad, greatest, picture = 0, 0, bytearray()
    for i in range(0, len(want), 4):
        d = max(abs(got[i + k] - want[i + k]) for k in range(4))
        greatest = max(greatest, d)
        bad += d > tolerance
        picture += bytes((255 if d > tolerance else 0, min(255, d * 16), 0, 255))
    return bad * 4000 / len(want), greatest, bytes(picture)


def run_scene(replay, jobs, scene, keep):
    """(passed, text)"""
    name, width, height, tolerance, allowed = scene
    with tempfile.TemporaryDirectory() as tmp:
        out = pathlib.Path(tmp) / 'out.png'
        try:
            done = subprocess.run([replay, jobs / f'{name}.vc4trace', out], capture_output=True, text=True,
                                  timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return False, f'no result after {TIMEOUT_S} s'
        if done.returncode:
            return False, (done.stderr.strip() or f'exit status {done.returncode}').splitlines()[0]
        w, h, got = read_png(out)
    want_w, want_h, want = read_png(jobs / f'{name}.png')
    if (w, h) != (want_w, want_h) or (w, h) != (width, height):
        return False, f'{w} x {h} pixels, expected {want_w} x {want_h}'
    bad, greatest, picture = compare(got, want, tolerance)
    text = f'{bad:.1f} of {allowed} permille bad (tolerance {tolerance}), greatest difference {greatest}'
    if bad > allowed and keep:
        keep.mkdir(parents=True, exist_ok=True)
        write_png(keep / f'{name}-got.png', w, h, got)
        write_png(keep / f'{name}-want.png', w, h, want)
        write_png(keep / f'{name}-diff.png', w, h, picture)
    if name in EXPLAINED and bad > allowed:
        most, why = EXPLAINED[name]
        return bad <= most, f'{text}; up to {most} since {why}'
    return bad <= allowed, text


def read_scenes(jobs):
    for line in (jobs / 'jobs.tsv').read_text().splitlines():
        row = line.split('\t')
        if len(row) >= 5 and row[1].isdigit():
            yield row[0], int(row[1]), int(row[2]), int(row[3]), float(row[4])


def main():
    args, keep, only = list(sys.argv[1:]), None, None
    while '--keep' in args:
        i = args.index('--keep')
        keep = pathlib.Path(args[i + 1])
        del args[i:i + 2]
    while '--only' in args:
        i = args.index('--only')
        only = args[i + 1].split(',')
        del args[i:i + 2]
    replay, jobs = args[0], pathlib.Path(args[1])
    if not (jobs / 'jobs.tsv').exists():
        print(f'1..0 # SKIP no recorded jobs in {jobs}')
        return 0
    scenes = [s for s in read_scenes(jobs) if not only or s[0] in only]
    print(f'1..{len(scenes)}', flush=True)
    failed = False
    for i, scene in enumerate(scenes, 1):
        name = scene[0]
        passed, text = run_scene(replay, jobs, scene, keep)
        failed |= not passed
        print(f'{"ok" if passed else "not ok"} {i} - {name}: {text}', flush=True)
    return failed


sys.exit(main())
