#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Replays jobs recorded from Mesa's vc4 driver on the model and compares each picture with the expected one.
# They are the judge of the model that nobody here wrote.
#
#   replay_jobs.py VC4_REPLAY JOBS_DIR [--keep DIR] [--only NAME,NAME]
#
# JOBS_DIR holds NAME.vc4trace, NAME.png and jobs.tsv. Prints TAP, one case per scene, and a last case that at least
# 80 % of the scenes which the model claims to run come out right. A scene that fails leaves got and difference in DIR.
import pathlib, struct, subprocess, sys, tempfile, zlib

# Known to differ: the reason stands here, and the case becomes a TAP "todo".
KNOWN_BAD = {
    # Vertices such as y = 46/48 come out a step of 1/16 px too low, since products and ftoi are cut toward zero; at 2
    # texels a pixel that is 1/8 texel. With fmul rounding to nearest both scenes come within (or next to) what is
    # allowed.
    'texture_minify': 'vertices are truncated to 1/16 px',
    'texture_wrap': 'vertices are truncated to 1/16 px',
    # The recorded program uses X_PIXEL_COORD as it is, without the half pixel; the picture has x + 0.5.
    'fs_inputs': 'the recorded program takes pixel corners for gl_FragCoord',
}
ENOUGH = 0.8
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
    print(f'1..{len(scenes) + 1}', flush=True)
    good = counted = 0
    failed = False
    for i, scene in enumerate(scenes, 1):
        name = scene[0]
        passed, text = run_scene(replay, jobs, scene, keep)
        counted += 1
        good += passed
        todo = f' # TODO {KNOWN_BAD[name]}' if name in KNOWN_BAD else ''
        failed |= not passed and not todo
        print(f'{"ok" if passed else "not ok"} {i} - {name}: {text}{todo}', flush=True)
    enough = good >= ENOUGH * counted
    print(f'{"ok" if enough else "not ok"} {len(scenes) + 1} - {good} of {counted} scenes are right')
    return failed or not enough


sys.exit(main())
