#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Replays jobs recorded from Mesa's vc4 driver on the model and compares each result with the expected image. The jobs
# are an independent test of the model, since nobody in this project wrote them.
#
#   replay_jobs.py VC4_REPLAY JOBS_DIR [--keep DIR] [--only NAME,NAME]
#
# JOBS_DIR holds NAME.vc4trace, NAME.png and jobs.tsv. Prints TAP, one case per scene. A scene that fails leaves its
# result and the difference in DIR.
#
# If a scene cannot match llvmpipe's image on this chip for a known cause, it is compared with an image that
# computed_pictures.py computes with that cause. Two more cases check the computed image: without the cause it must be
# llvmpipe's image, and images computed with other faults must differ from the model's.
import argparse, pathlib, subprocess, sys, tempfile
import pictures
from computed_pictures import COMPUTED, TOLERANCE, Scene

TIMEOUT_S = 120


def compare(got, want, tolerance):
    """(bad pixels per thousand, greatest difference, image of the differences)."""
    bad, greatest, picture = 0, 0, bytearray()
    for i in range(0, len(want), 4):
        d = max(abs(got[i + k] - want[i + k]) for k in range(4))
        greatest = max(greatest, d)
        bad += d > tolerance
        picture += bytes((255 if d > tolerance else 0, min(255, d * 16), 0, 255))
    return bad * 4000 / len(want), greatest, bytes(picture)


def replayed(replay, jobs, scene):
    """(image, None) or (None, what went wrong)"""
    name, width, height = scene[:3]
    with tempfile.TemporaryDirectory() as tmp:
        out = pathlib.Path(tmp) / 'out.png'
        try:
            done = subprocess.run([replay, jobs / f'{name}.vc4trace', out], capture_output=True, text=True,
                                  timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return None, f'no result after {TIMEOUT_S} s'
        if done.returncode:
            return None, (done.stderr.strip() or f'exit status {done.returncode}').splitlines()[0]
        w, h, got = pictures.read(out, 'RGBA')
    return (None, f'{w} x {h} pixels, expected {width} x {height}') if (w, h) != (width, height) else (got, None)


def is_like(got, want, scene, tolerance, keep, kept_as):
    """(passed, text)"""
    _, width, height, _, allowed = scene
    bad, greatest, picture = compare(got, want, tolerance)
    if bad > allowed and keep:
        keep.mkdir(parents=True, exist_ok=True)
        for what, rgba in ('got', got), ('want', want), ('diff', picture):
            pictures.write(keep / f'{kept_as}-{what}.png', width, height, 'RGBA', rgba)
    return bad <= allowed, f'{bad:.1f} of {allowed} permille bad (tolerance {tolerance}), greatest difference {greatest}'


def run_scene(replay, jobs, scene, keep):
    """Yields (passed, text) for each case."""
    name, width, height, tolerance, allowed = scene
    want_w, want_h, recorded = pictures.read(jobs / f'{name}.png', 'RGBA')
    got, trouble = replayed(replay, jobs, scene)
    if not trouble and (want_w, want_h) != (width, height):
        trouble = f'the expected picture has {want_w} x {want_h} pixels'
    computed = COMPUTED.get(name)
    if not computed:
        passed, text = (False, trouble) if trouble else is_like(got, recorded, scene, tolerance, keep, name)
        yield passed, f'{name}: {text}'
        return
    drawn = Scene(jobs / f'{name}.vc4trace', width, height)
    passed, text = (False, trouble) if trouble else is_like(got, computed.chip(drawn), scene, TOLERANCE, keep, name)
    yield passed, f'{name} ({computed.why}): {text}'
    passed, text = is_like(computed.plain(drawn), recorded, scene, tolerance, keep, f'{name}-computed')
    yield passed, f'{name}, computed without the cause, is the recorded picture: {text}'
    missed = [wrong for wrong, draw in computed.wrong.items()
              if trouble or compare(got, draw(drawn), TOLERANCE)[0] <= allowed]
    yield not missed, f'{name}: faults are told apart: {", ".join(computed.wrong)}{"; not: " if missed else ""}{", ".join(missed)}'


def read_scenes(jobs):
    for line in (jobs / 'jobs.tsv').read_text().splitlines():
        row = line.split('\t')
        if len(row) >= 5 and row[1].isdigit():
            yield row[0], int(row[1]), int(row[2]), int(row[3]), float(row[4])


def main():
    parser = argparse.ArgumentParser(description='Replays recorded jobs on the model and compares the images.')
    parser.add_argument('replay', metavar='VC4_REPLAY')
    parser.add_argument('jobs', metavar='JOBS_DIR', type=pathlib.Path)
    parser.add_argument('--keep', metavar='DIR', type=pathlib.Path, help='where results of failing scenes are written')
    parser.add_argument('--only', metavar='NAME,NAME', type=lambda names: names.split(','), help='the scenes to replay')
    options = parser.parse_args()
    replay, jobs, keep, only = options.replay, options.jobs, options.keep, options.only
    scenes = [s for s in read_scenes(jobs) if not only or s[0] in only]
    if not scenes:
        print(f'Bail out! no recorded jobs in {jobs}' + (f' named {",".join(only)}' if only else ''))
        return 1
    print(f'1..{sum(3 if scene[0] in COMPUTED else 1 for scene in scenes)}\n# judge: recorded jobs', flush=True)
    failed, number = False, 0
    for scene in scenes:
        for passed, text in run_scene(replay, jobs, scene, keep):
            number += 1
            failed |= not passed
            print(f'{"ok" if passed else "not ok"} {number} - {text}', flush=True)
    return failed


sys.exit(main())
