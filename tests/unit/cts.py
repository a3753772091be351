#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Runs tests/cts/run in a made-up repository, with a made-up deqp-vk. Tests how cases are judged, that a ledger's run goes on
# where the last one ended, which changes make a case run again, and what the summary says. Prints TAP.
import pathlib, shutil, subprocess, sys

import tap_cases

CTS = pathlib.Path(__file__).resolve().parents[1] / 'cts'

# Writes down the cases that it is given, and does what their names say.
DEQP = '''#!/usr/bin/env python3
import os, sys, time
names = open([a for a in sys.argv if a.startswith('--deqp-caselist-file=')][0].split('=')[1]).read().split()
for name in names:
    print(f"Test case '{name}'..")
    with open(os.path.dirname(os.path.abspath(__file__)) + '/tried', 'a') as f:
        f.write(name + chr(10))
    sys.stdout.flush()
    if name.endswith('crash'):
        os.abort()
    if name.endswith('hang'):
        time.sleep(600)
    print('  NotSupported (sparse | aliased)' if name.endswith('lacks') else
          '  Fail (wrong pixels)' if name.endswith('wrong') else '  Pass (fine)')
'''
CASES = ['dEQP-VK.draw.right', 'dEQP-VK.draw.wrong', 'dEQP-VK.wsi.lacks', 'dEQP-VK.wsi.right', 'dEQP-VK.glsl.crash', 'dEQP-VK.glsl.right']


class Repository:
    def __init__(self, folder):
        self.root = pathlib.Path(folder)
        self.cts = self.root / 'tests/cts'
        shutil.copytree(CTS, self.cts, ignore=shutil.ignore_patterns('__pycache__'))
        for name in ('src/wsi/vc4vk_wsi.h', 'src/compiler/vc4c.h', 'docs/README.md'):
            self.write(name, 'first')
        self.write('.gitignore', '/deqp-vk\n/cases\n/ledger\n/tried\n/out\n__pycache__\n')
        self.write('deqp-vk', DEQP)
        self.write('cases', '\n'.join(CASES))
        (self.root / 'deqp-vk').chmod(0o755)
        self.git('init', '-q')
        self.commit()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def git(self, *words):
        subprocess.run(['git', '-C', self.root, '-c', 'user.name=a', '-c', 'user.email=a@b', *words], check=True)

    def commit(self):
        self.git('add', '-A')
        self.git('commit', '-q', '-m', 'a')

    def run(self, *options, deqp=True):
        words = [sys.executable, self.cts / 'run', '--cases', self.root / 'cases', '--out', self.root / 'out', *options]
        words += ['--deqp', self.root / 'deqp-vk', '--case-limit', '10'] if deqp else []
        tried = self.root / 'tried'
        tried.write_text('')
        done = subprocess.run(words, env={'PATH': '/usr/bin:/bin'}, capture_output=True, text=True)
        return done, tried.read_text().split()

    def next(self, *options):
        """The cases that a run with a ledger runs."""
        done, tried = self.run('--ledger', self.root / 'ledger', *options)
        assert 'Traceback' not in done.stderr, done.stderr
        return tried

    def summary(self):
        done, tried = self.run('--ledger', self.root / 'ledger', '--summary', self.root / 'out.md', deqp=False)
        assert done.returncode == 0 and not tried, done.stderr
        return (self.root / 'out.md').read_text()


def judges_cases(r):
    r.write('cases', '\n'.join([*CASES, 'dEQP-VK.glsl.hang', 'dEQP-VK.glsl.after']))
    done, tried = r.run()
    assert done.returncode == 1 and sorted(tried) == sorted((r.root / 'cases').read_text().split()), done.stdout
    for line in ('FAIL: dEQP-VK.draw.wrong: wrong pixels', 'CRASH: dEQP-VK.glsl.crash: exit status -6',
                 'HANG: dEQP-VK.glsl.hang: no output for 10 s'):
        assert line in done.stdout.split('\n'), done.stdout
    total = [line.split() for line in done.stdout.split('\n') if line.startswith('total')]
    assert total[0][1:7] == ['8', '4', '1', '1', '1', '1'], total


def goes_on_where_it_ended(r):
    assert r.next('--minutes', '0') == []
    assert sorted(r.next('--filter', '*.wsi.*')) == ['dEQP-VK.wsi.lacks', 'dEQP-VK.wsi.right']
    assert sorted(r.next()) == sorted(c for c in CASES if '.wsi.' not in c)
    assert r.next() == []


def changes_make_cases_run_again(r):
    r.next()
    r.write('docs/README.md', 'second')
    r.commit()
    assert r.next() == []
    r.write('src/wsi/vc4vk_wsi.h', 'second')
    r.commit()
    assert sorted(r.next()) == ['dEQP-VK.wsi.lacks', 'dEQP-VK.wsi.right']
    r.write('src/compiler/vc4c.h', 'second')
    r.commit()
    again = r.next()
    assert sorted(again) == sorted(CASES)
    for bad, good in (('draw.wrong', 'draw.right'), ('glsl.crash', 'glsl.right')):  # the bad ones of a group first
        assert again.index('dEQP-VK.' + bad) < again.index('dEQP-VK.' + good), again


def needs_commits(r):
    r.write('src/wsi/vc4vk_wsi.h', 'second')
    done, tried = r.run('--ledger', r.root / 'ledger')
    assert done.returncode and not tried and 'commit the changes' in done.stderr, done.stderr
    shutil.rmtree(r.root / '.git')
    done, tried = r.run('--ledger', r.root / 'ledger')
    assert done.returncode and not tried and 'it needs git' in done.stderr and 'Traceback' not in done.stderr, done.stderr


def summarises(r):
    r.next()
    text = r.summary()
    assert '* 6 of 6 cases have run: 3 passed, 1 not supported, 1 failed, 1 crashed, 0 hung; 0 stale' in text, text
    assert '| wsi.lacks | 1 | 1 | 0 | 1 | 0 | 0 | 0 | 0 |' in text, text
    assert r'| 1 | sparse \| aliased | **not justified** |' in text, text
    assert '* `dEQP-VK.draw.wrong`: Fail: wrong pixels\n* `dEQP-VK.glsl.crash`: Crash: exit status -6\n' in text, text
    r.write('tests/cts/optional', 'sparse* -- sparseBinding is a feature\n')
    r.write('src/wsi/vc4vk_wsi.h', 'second')
    r.commit()
    text = r.summary()
    assert r'| 1 | sparse \| aliased | sparseBinding is a feature |' in text and '2 stale' in text, text


sys.exit(tap_cases.run([
    judges_cases, goes_on_where_it_ended, changes_make_cases_run_again, needs_commits, summarises,
], Repository))
