#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Checks vc4vk-info: its JSON output gives the implementation level (native, lowered or CPU) of every reported feature,
# its text output has every section, and docs/features.md is its current Markdown output. The document is that of a build
# with the newest headers: rows of features and extensions that the headers of this build lack, and only those, may be
# missing. Every reported extension has features or a row of its own, and the installed lavapipe reports no device
# extension that is neither reported nor listed as missing. Prints TAP.
#
#   info.py VC4VK_INFO FEATURES_MD LAVAPIPE_ICD
import json, os, pathlib, re, subprocess, sys

tool, document, lavapipe = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]


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


def extension_rows():
    return (document.parent.parent / 'src/device/vc4vk_extensions.h').read_text()


def optional_extensions():
    """The extensions that depend on the headers or on how the driver was built."""
    rows = re.findall(r'^ +X\((\w+), \d+, (.+)\) *\\?$', extension_rows(), re.M)
    return {'VK_' + name for name, supported in rows if supported != '1'}


def markdown_table(section):
    """The rows of a section's table, as lists of cells."""
    text = run('--markdown').stdout.split(f'\n## {section}\n')[1].split('\n## ')[0]
    return [[cell.strip() for cell in line.strip('|').split('|')] for line in text.splitlines() if line.startswith('| ')][1:]


def lacks_for_the_host(found):
    """Features whose rows have no reported feature on some hosts: sparse memory needs 64-bit addresses and small pages."""
    always, _ = rows()
    return set() if found['limits']['sparseAddressSpaceSize'] else {name for name in always if name.startswith('sparse')}


def json_is_complete():
    found = json.loads(run('--json').stdout)
    for name, feature in found['features'].items():
        if feature['means'] not in ('native', 'lowered', 'CPU'):
            yield f'src/device/vc4vk_feature_level.c has no row for {name}, which is reported'
    always, _ = rows()
    for name in always - lacks_for_the_host(found):
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
    found = json.loads(run('--json').stdout)
    newer -= found['features'].keys()
    newer |= lacks_for_the_host(found)
    newer |= optional_extensions() - found['deviceExtensions'].keys() - found['instanceExtensions'].keys()
    kept = [line for line in document.read_text().splitlines() if line.removeprefix('| ').split(' |')[0] not in newer]
    if run('--markdown').stdout.splitlines() != kept:
        yield 'docs/features.md is out of date: write the output of vc4vk-info --markdown to it'


def extensions_have_levels():
    found = json.loads(run('--json').stdout)
    rows = {row[0]: row[1:] for row in markdown_table('Extensions')}
    for name in found['deviceExtensions']:
        if not rows.get(name, ['', ''])[1]:
            yield f'src/device/vc4vk_extension_level.c has no row for {name}, which is reported and has no reported feature'
    levels = (document.parent.parent / 'src/device/vc4vk_extension_level.c').read_text()
    for name in re.findall(r'^    \{"VK_(\w+)", VC4VK_', levels, re.M):
        if f'    X({name}, ' not in extension_rows():
            yield f'src/device/vc4vk_extension_level.c has a row for VK_{name}, which this driver does not have'


def peers_report_no_more():
    reported = json.loads(run('--json').stdout)
    found = reported['deviceExtensions']
    missing = {row[0] for row in markdown_table('Extensions that are missing')}
    for name in missing & found.keys() if reported['isModel'] else ():
        yield f'src/device/vc4vk_extension_level.c lists {name} as missing, but it is reported'
    # Without the layers' extensions: those follow the devices' in what vulkaninfo prints.
    environment = dict(os.environ, VK_ICD_FILENAMES=lavapipe, VK_DRIVER_FILES=lavapipe)
    text = subprocess.run(['vulkaninfo'], env=environment, capture_output=True, text=True).stdout
    listed = re.search(r'^Device Extensions: count = (\d+)\n(?:-+\n)?((?:\tVK_.*\n)+)', text, re.M)
    if not listed:
        yield f'vulkaninfo lists no extensions of the device of {lavapipe}'
        return
    peer = re.findall(r'VK_\w+', listed[2])
    if len(peer) < 50:
        yield f'vulkaninfo lists only {len(peer)} extensions of the device of {lavapipe}'
    for name in peer:
        if name not in found and name not in missing and name not in optional_extensions():
            yield f'src/device/vc4vk_extension_level.c does not list {name} as missing, which lavapipe reports'


def wrong_use_is_refused():
    if run('--nonsense').returncode != 2:
        yield 'an unknown option was accepted'


checks = [json_is_complete, text_has_every_part, document_is_of_today, extensions_have_levels,
          peers_report_no_more, wrong_use_is_refused]
print(f'TAP version 13\n1..{len(checks)}')
for number, check in enumerate(checks, 1):
    if check is peers_report_no_more and not lavapipe:
        print(f'ok {number} - {check.__name__} # SKIP lavapipe is not installed')
        continue
    problems = list(check())
    print(f'{"not ok" if problems else "ok"} {number} - {check.__name__}')
    for problem in problems:
        print(f'# {problem}')
