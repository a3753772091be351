#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Runs tests/summary.py on made-up logs. Tests what counts as passed, failed and skipped, that every skip is printed
# with its reason or counts as a failure, and that a required judge that did not run counts as a failure. Prints TAP.
import json, pathlib, subprocess, sys, tempfile

SUMMARY = pathlib.Path(__file__).resolve().parents[1] / 'summary.py'
JUDGED = [('replay_jobs', 'OK', '1..1\n# judge: recorded jobs\nok 1 - clear_only: 0.0\n'),
          ('api_draw', 'OK', '1..2\n# judge: validation layer\nok 1 - a\n# judge: lavapipe\nok 2 - b\n')]
BOTH = ['--judge', 'recorded jobs', '--judge', 'validation layer', '--judge', 'lavapipe']


def summary(programs, *options):
    """Runs the script on a build folder with the given test programs: (name, meson's result, stdout). Returns (exit status,
    output lines)."""
    with tempfile.TemporaryDirectory() as folder:
        if programs is not None:
            logs = pathlib.Path(folder, 'meson-logs')
            logs.mkdir()
            rows = [json.dumps({'name': name, 'result': result, 'stdout': out}) for name, result, out in programs]
            (logs / 'testlog.json').write_text('\n'.join(rows) + '\n')
        run = subprocess.run([sys.executable, SUMMARY, *options, folder], capture_output=True, text=True)
        return run.returncode, run.stdout.replace(folder, 'DIR').splitlines()


def expect(programs, status, closing, *lines, options=()):
    got_status, got = summary(programs, *options)
    assert (got_status, got[-1:]) == (status, [closing]), (got_status, got)
    assert got[:-1] == list(lines), got


def passes():
    expect([('p', 'OK', '1..2\nok 1 - a\nok 2 - b # not a mark\n')], 0, '2 passed, 0 failed')


def skipped_cases():
    expect([('p', 'OK', '1..4\nok 1 - a\nok 2 - b #1 # SKIP no display\nok 3 - c # skip: again\nok 4 # SKIP only this\n')], 0,
           '1 passed, 0 failed, 3 skipped', 'SKIPPED: DIR: p: 2 - b #1: no display', 'SKIPPED: DIR: p: 3 - c: again',
           'SKIPPED: DIR: p: 4: only this')


def skipped_programs():
    expect([('p', 'SKIP', '1..0 # SKIP vkmark is not installed\n'), ('q', 'SKIP', 'nothing to run on\n')], 0,
           '0 passed, 0 failed, 2 skipped', 'SKIPPED: DIR: p: vkmark is not installed', 'SKIPPED: DIR: q: nothing to run on')


def all_cases_skipped():
    expect([('p', 'SKIP', '1..1\nok 1 - a # SKIP no server\n')], 0, '0 passed, 0 failed, 1 skipped',
           'SKIPPED: DIR: p: 1 - a: no server')


def no_reason():
    expect([('p', 'OK', '1..2\nok 1 - a # SKIP\nok 2 - b # SKIP \n'), ('q', 'SKIP', ''), ('r', 'SKIP', '1..0 # SKIP\n')], 1,
           '0 passed, 4 failed', 'FAILED: DIR: p: 1 - a: skipped without a reason',
           'FAILED: DIR: p: 2 - b: skipped without a reason', 'FAILED: DIR: q: skipped without a reason',
           'FAILED: DIR: r: skipped without a reason')


def to_do():
    expect([('p', 'OK', '1..2\nok 1 - a\nnot ok 2 - b # TODO the chip has none\n')], 0, '1 passed, 0 failed, 1 skipped',
           'SKIPPED: DIR: p: 2 - b: the chip has none')


def raw_cmocka_skip():
    """Some versions of cmocka print a skipped case as "not ok", with the name of the case in place of the reason."""
    expect([('p', 'FAIL', '1..1\nnot ok 1 # SKIP name_of_case\n')], 1, '0 passed, 1 failed, 1 skipped',
           'SKIPPED: DIR: p: 1: name_of_case', 'FAILED: DIR: p: FAIL')


def failures():
    expect([('p', 'FAIL', '1..3\nok 1 - a\nnot ok 2 - b\nnot ok 3 - c\n')], 1, '1 passed, 2 failed', 'FAILED: DIR: p: 2 - b',
           'FAILED: DIR: p: 3 - c')


def crashes_and_hangs():
    expect([('p', 'ERROR', '1..3\nok 1 - a\n'), ('q', 'TIMEOUT', '1..2\nok 1 - a\nnot ok 2 - b\n'), ('r', 'FAIL', '')], 1,
           '2 passed, 4 failed', 'FAILED: DIR: p: ERROR', 'FAILED: DIR: q: 2 - b', 'FAILED: DIR: q: TIMEOUT',
           'FAILED: DIR: r: FAIL')


def no_case():
    expect([('p', 'OK', ''), ('q', 'OK', '1..0\n')], 1, '0 passed, 2 failed', 'FAILED: DIR: p: ended without a case',
           'FAILED: DIR: q: ended without a case')


def no_log():
    expect(None, 1, '0 passed, 1 failed', 'FAILED: DIR: not built, or no test was run')


def judges_that_ran():
    expect(JUDGED, 0, '3 passed, 0 failed', options=BOTH)
    expect(JUDGED, 0, '3 passed, 0 failed', 'NO JUDGE: vkmark: Debian has none', options=[*BOTH, '--no-judge', 'vkmark=Debian has none'])


def judges_that_did_not():
    for n, judge in enumerate(('recorded jobs', 'validation layer', 'lavapipe')):
        hidden = [(name, result, out.replace(f'# judge: {judge}\n', '')) for name, result, out in JUDGED]
        expect(hidden, 1, '3 passed, 1 failed', f'FAILED: the judge {judge} did not run', options=BOTH)
    skipped = [('replay_jobs', 'SKIP', '1..0 # SKIP no recorded jobs\n'), JUDGED[1]]
    expect(skipped, 1, '2 passed, 1 failed, 1 skipped', 'SKIPPED: DIR: replay_jobs: no recorded jobs',
           'FAILED: the judge recorded jobs did not run', options=BOTH)
    nothing = [('replay_jobs', 'OK', '1..1\n# judge: recorded jobs\nok 1 - a # SKIP no pictures\n'), JUDGED[1]]
    expect(nothing, 1, '2 passed, 1 failed, 1 skipped', 'SKIPPED: DIR: replay_jobs: 1 - a: no pictures',
           'FAILED: the judge recorded jobs did not run', options=BOTH)


def programs_without_a_judge():
    expect([('p', 'OK', '1..1\n# no judge: validation layer: not installed\nok 1 - a\n'),
            ('q', 'OK', '1..1\n# no judge: validation layer: not installed\nok 1 - a\n')], 0, '2 passed, 0 failed',
           'WITHOUT: validation layer: not installed (DIR: p, DIR: q)')


def main():
    tests = [passes, skipped_cases, skipped_programs, all_cases_skipped, no_reason, to_do, raw_cmocka_skip, failures,
             crashes_and_hangs, no_case, no_log, judges_that_ran, judges_that_did_not, programs_without_a_judge]
    failed = 0
    print(f'1..{len(tests)}')
    for number, test in enumerate(tests, 1):
        try:
            test()
            print(f'ok {number} - {test.__name__}')
        except AssertionError as why:
            failed += 1
            print(f'not ok {number} - {test.__name__}\n# {why}')
    return failed > 0


sys.exit(main())
