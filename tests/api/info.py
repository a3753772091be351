#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Checks vc4vk-info: its JSON output gives the implementation level (native, lowered or CPU) of every reported feature,
# its text output has every section, and docs/features.md is its current Markdown output. The document is that of a build
# with the newest headers: rows of features that the headers of this build lack, and only those, may be missing. Prints
# TAP.
#
#   info.py VC4VK_INFO FEATURES_MD
import json, pathlib, re, subprocess, sys

tool, document = sys.argv[1], pathlib.Path(sys.argv[2])


def run(*arguments):
    return subprocess.run([tool, *arguments], capture_output=True, text=True)


def rows():
    """The features with a row in the driver's table: those of all headers, and those of newer headers (#ifdef)."""
    always, newer, is_newer = set(), set(), False
    for line in (document.parent.parent / 'src/device/vc4vk_feature_level.c').read_text().splitlines():
        if line.startswith(('#ifdef', '#endif')):
            is_newer = line.startswith('#ifdef')
        row = re.match(r'    \{"(\w+)", VC4VK_', line)
        if row:
            (newer if is_newer else always).add(row[1])
    return always, newer


def json_is_complete():
    found = json.loads(run('--json').stdout)
    for name, feature in found['features'].items():
        if feature['means'] not in ('native', 'lowered', 'CPU'):
            yield f'src/device/vc4vk_feature_level.c has no row for {name}, which is reported'
    always, _ = rows()
    for name in always:
        if name not in found['features']:
            yield f'src/device/vc4vk_feature_level.c has a row for {name}, which is not reported'
    if found['formats']['R8G8B8A8_UNORM']['colour'] != 'native':
        yield 'colour of R8G8B8A8_UNORM is not native, although it is the format of the tile buffer'
    if len(found['limits']['maxComputeWorkGroupSize']) != 3 or len(found['formats']) < 100:
        yield 'limits or formats are missing'


def text_has_every_part():
    text = run().stdout
    for part in ('  driver    vc4vk', '  kernel    ', '\nFeatures\n', '\nExtensions\n', '\nLimits\n', '\nFormats'):
        if part not in text:
            yield f'{part.strip()!r} is not in the text'


def document_is_of_today():
    _, newer = rows()
    newer -= json.loads(run('--json').stdout)['features'].keys()
    kept = [line for line in document.read_text().splitlines() if line.removeprefix('| ').split(' |')[0] not in newer]
    if run('--markdown').stdout.splitlines() != kept:
        yield 'docs/features.md is out of date: write the output of vc4vk-info --markdown to it'


def wrong_use_is_refused():
    if run('--nonsense').returncode != 2:
        yield 'an unknown option was accepted'


checks = [json_is_complete, text_has_every_part, document_is_of_today, wrong_use_is_refused]
print(f'TAP version 13\n1..{len(checks)}')
for number, check in enumerate(checks, 1):
    problems = list(check())
    print(f'{"not ok" if problems else "ok"} {number} - {check.__name__}')
    for problem in problems:
        print(f'# {problem}')
