#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Runs tests/cts/submission on a made-up conformance suite, with a made-up deqp-vk. Tests what the package has, that complete
# fractions are not run again, and everything that makes Khronos refuse a package. Prints TAP.
import pathlib, subprocess, sys, tarfile

import tap_cases

SUBMISSION = pathlib.Path(__file__).resolve().parents[1] / 'cts/submission'
LISTS = 'external/vulkancts/mustpass/main/'

# Runs every N-th case of the list, as a fraction of the real one does, and does what the cases' names say. Writes down its
# words, and knows no others than those that Khronos allows.
DEQP = '''#!/usr/bin/env python3
import os, pathlib, sys
here = pathlib.Path(__file__).resolve().parent
with open(here / 'tried', 'a') as f:
    f.write(' '.join(sys.argv[1:]) + chr(10))
words = dict(a[2:].split('=', 1) for a in sys.argv[1:])
def read(path):
    out = []
    for line in pathlib.Path(path).read_text().split():
        out += read(pathlib.Path(path).parent / line) if line.endswith('.txt') else [line]
    return out
number, count = map(int, words.pop('deqp-fraction', '0,1').split(','))
mandatory = words.pop('deqp-fraction-mandatory-caselist-file', None)
cases = read(words.pop('deqp-caselist-file'))[number::count]
cases = [c for c in (read(mandatory) if mandatory else []) if c not in cases] + cases
log = open(words.pop('deqp-log-filename'), 'w')
for name in ('deqp-log-images', 'deqp-log-shader-sources'):
    assert words.pop(name) == 'disable'
assert not words, words
log.write('#sessionInfo releaseName ' + (here / 'release').read_text() + chr(10) + '#beginSession' + chr(10))
for case in cases:
    if case.endswith('lost') and (here / 'loses').exists():
        continue
    log.write('#beginTestCaseResult ' + case + chr(10))
    log.flush()
    if case.endswith('crash') and (here / 'crashes').exists():
        os.abort()
    bad = case.endswith('wrong') and (here / 'fails').exists()
    log.write('<Result StatusCode="' + ('Fail' if bad else 'Pass') + '">x</Result>' + chr(10) + '#endTestCaseResult' + chr(10))
log.write('#endSession' + chr(10))
'''


class Suite:
    def __init__(self, folder):
        self.root, self.out, self.beside = (pathlib.Path(folder) / name for name in ('suite', 'out', 'beside'))
        self.beside.mkdir()
        self.write(LISTS + 'vk-default.txt', 'vk-default/draw.txt\nvk-default/glsl.txt\n')
        self.write(LISTS + 'vk-default/draw.txt', 'dEQP-VK.draw.right\ndEQP-VK.draw.wrong\ndEQP-VK.draw.lost\n')
        self.write(LISTS + 'vk-default/glsl.txt', 'dEQP-VK.info.device\ndEQP-VK.glsl.crash\n')
        self.write(LISTS + 'vk-fraction-mandatory-tests.txt', 'dEQP-VK.info.device\n')
        self.git('init', '-q')
        self.git('commit', '-q', '--allow-empty', '-m', 'before')
        self.commit('a release')
        self.git('tag', 'vulkan-cts-1.3.9.9')
        self.deqp = self.beside / 'deqp-vk'
        self.deqp.write_text(DEQP)
        self.deqp.chmod(0o755)
        (self.beside / 'release').write_text('vulkan-cts-1.3.9.9')
        (self.beside / 'icd.json').write_text('{"ICD": {"library_path": "driver.so"}}')
        (self.beside / 'driver.so').write_text('a driver')

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def git(self, *words):
        subprocess.run(['git', '-C', self.root, '-c', 'user.name=a', '-c', 'user.email=a@b', *words], check=True)

    def commit(self, subject):
        self.git('add', '-A')
        self.git('commit', '-q', '-m', subject)

    def make(self, *options):
        """Runs the script. Returns its exit status, its output, and the words of each deqp-vk that it started."""
        tried = self.beside / 'tried'
        tried.write_text('')
        done = subprocess.run([sys.executable, SUBMISSION, '--source', self.root, '--deqp', self.deqp, '--icd',
                               self.beside / 'icd.json', '--adopter', 'Founders', '--product', 'vc4vk', '--driver-build', 'amd64',
                               '--cpu', 'a processor', '--os', 'a system', '--out', self.out, *options],
                              env={'PATH': '/usr/bin:/bin'}, capture_output=True, text=True)
        assert 'Traceback' not in done.stderr, done.stderr
        return done.returncode, done.stdout, tried.read_text().splitlines()

    def refusal(self, *options):
        """What a run refuses."""
        status, output, _ = self.make(*options)
        refused = [line.partition(': ')[2] for line in output.splitlines() if line.startswith('REFUSED: ')]
        assert bool(status) == bool(refused) and ('not to be submitted' in output) == bool(refused), output
        return refused


def has_what_is_asked_for(s):
    s.write('framework/platform.c', 'changed')
    s.commit('Port the platform')
    status, output, tried = s.make('--fractions', '2', '--info', 'model')
    assert status == 0 and '5 of 5 cases were run' in output, output
    assert len(tried) == 2 and all('--deqp-fraction-mandatory-caselist-file=' in words for words in tried), tried
    with tarfile.open(s.out / 'VK13_Founders_model.tgz') as package:
        assert package.getnames() == ['STATEMENT-Founders', 'git-log.txt', 'git-status.txt', '0001-Port-the-platform.patch',
                                      'TestResults-amd64-1-of-2.qpa', 'TestResults-amd64-2-of-2.qpa'], package.getnames()
        text = package.extractfile('STATEMENT-Founders').read().decode()
        assert text.split('\n')[:2] == ['CONFORM_VERSION:         vulkan-cts-1.3.9.9', 'PRODUCT:                 vc4vk'], text
        history = package.extractfile('git-log.txt').read().decode()
        assert 'Port the platform' in history and 'a release' in history, history


def needs_no_fractions(s):
    status, _, tried = s.make('--fractions', '1')
    assert status == 0 and len(tried) == 1 and 'fraction' not in tried[0], tried
    assert (s.out / 'TestResults-amd64.qpa').exists()
    assert s.make('--fractions', '9')[0] == 2


def goes_on_where_it_ended(s):
    assert len(s.make('--fractions', '3')[2]) == 3
    assert s.make('--fractions', '3')[2] == []
    (s.out / 'TestResults-amd64-2-of-3.qpa').write_text('#beginSession\n')
    (words,) = s.make('--fractions', '3')[2]
    assert '--deqp-fraction=1,3' in words, words
    (s.beside / 'driver.so').write_text('another driver')
    assert len(s.make('--fractions', '3')[2]) == 3


def refuses_bad_results(s):
    (s.beside / 'fails').touch()
    assert s.refusal('--fractions', '1') == ['dEQP-VK.draw.wrong: Fail']


def refuses_crashes(s):
    (s.beside / 'crashes').touch()
    assert s.refusal('--fractions', '1') == ['TestResults-amd64.qpa has no end: deqp-vk crashed or was ended',
                                             'dEQP-VK.glsl.crash: no result']


def refuses_missing_cases(s):
    (s.beside / 'loses').touch()
    assert s.refusal('--fractions', '2') == ['dEQP-VK.draw.lost was not run']


def refuses_another_release(s):
    (s.beside / 'release').write_text('vulkan-cts-1.3.9.8')
    (refused,) = s.refusal('--fractions', '1')
    assert 'calls itself "vulkan-cts-1.3.9.8", not git-' in refused and 'or vulkan-cts-1.3.9.9' in refused, refused


def takes_builds_from_git(s):
    head = subprocess.run(['git', '-C', s.root, 'rev-parse', 'HEAD'], check=True, capture_output=True, text=True).stdout.strip()
    (s.beside / 'release').write_text('git-' + head)
    assert s.refusal('--fractions', '1') == []
    s.write('framework/platform.c', 'changed')
    s.commit('Port the platform')  # the program is of the commit before
    (refused,) = s.refusal('--fractions', '1')
    assert f'calls itself "git-{head}"' in refused, refused


def says_what_is_no_program(s):
    s.deqp.chmod(0o644)
    assert s.make('--fractions', '1')[0] == 2


def refuses_changes_that_git_does_not_know(s):
    s.write('framework/platform.c', 'changed')
    (refused,) = s.refusal('--fractions', '1')
    assert 'changes that are not committed' in refused, refused


sys.exit(tap_cases.run([
    has_what_is_asked_for, needs_no_fractions, goes_on_where_it_ended, refuses_bad_results, refuses_crashes,
    refuses_missing_cases, refuses_another_release, takes_builds_from_git, says_what_is_no_program,
    refuses_changes_that_git_does_not_know,
], Suite))
