# SPDX-License-Identifier: MIT
#
# The ledger of a conformance suite: what became of each case, in how many seconds, and with which commit of the driver.
# It is one SQLite file and is written after every chunk of cases, so a run may end at any time and goes on there.
import collections
import fnmatch
import sqlite3
import subprocess
import sys

GOOD = ('Pass', 'QualityWarning', 'CompatibilityWarning')

Row = collections.namedtuple('Row', 'status message seconds commit')


def read_rules(path, separator=None):
    """The lines of a file of rules: what stands before the separator, or the first blank, and the rest, which must not be empty."""
    rules = []
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
        if not line.strip() or line.startswith('#'):
            continue
        pattern, _, rest = line.strip().partition(separator or ' ')
        if not rest.strip():
            sys.exit(f'{path}:{number}: {pattern} has no reason: write it after the name')
        rules.append((pattern.strip(), rest.strip()))
    return rules


class Source:
    """The driver's source in git: which cases a change since a commit concerns."""

    def __init__(self, root, concerns):
        """concerns: of each module whose changes concern few cases, the patterns of these; all others concern all."""
        self.root, self.concerns = root, concerns
        try:
            self.head = self.git('rev-parse', 'HEAD').strip()
        except (OSError, subprocess.CalledProcessError):
            sys.exit(f'{root}: a ledger names the commit of each result, so it needs git, and a checkout')
        self.patterns = {}

    def git(self, *words):
        return subprocess.run(['git', '-C', str(self.root), *words], check=True, capture_output=True, text=True).stdout

    def is_clean(self):
        return not self.git('status', '--porcelain', '--', 'src', 'meson.build').strip()

    def patterns_since(self, commit):
        """Patterns of the cases that have to run again."""
        if commit not in self.patterns:
            try:
                changed = self.git('diff', '--name-only', commit, self.head, '--', 'src', 'meson.build').split('\n')
            except subprocess.CalledProcessError:  # git does not know the commit
                changed = ['meson.build']
            modules = {'/'.join(path.split('/')[1:2]) for path in changed if path}
            found = [self.concerns.get(module, ['*']) for module in modules]
            self.patterns[commit] = [pattern for patterns in found for pattern in patterns]
        return self.patterns[commit]

    def is_stale(self, case, row):
        return any(pattern == '*' or fnmatch.fnmatchcase(case, pattern) for pattern in self.patterns_since(row.commit))


class Ledger:
    def __init__(self, path):
        self.database = sqlite3.connect(path)
        self.database.execute('CREATE TABLE IF NOT EXISTS results (name TEXT PRIMARY KEY, status TEXT NOT NULL, '
                              'message TEXT NOT NULL, seconds REAL NOT NULL, commit_id TEXT NOT NULL) WITHOUT ROWID')

    def add(self, results, commit):
        """results: case -> (status, message, seconds)."""
        with self.database:
            self.database.executemany('INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?)',
                                      [(name, *result, commit) for name, result in results.items()])

    def rows(self):
        return {name: Row(*rest) for name, *rest in self.database.execute('SELECT * FROM results')}


def due(cases, rows, source):
    """The cases that are to run: first those that never ran, then those that were bad, then those that are stale."""
    new, bad, stale = [], [], []
    for case in cases:
        row = rows.get(case)
        if not row:
            new.append(case)
        elif source.is_stale(case, row):
            (stale if row.status in GOOD or row.status == 'NotSupported' else bad).append(case)
    return new + bad + stale


def reason_of(message, optional):
    """Why the specification lets a driver not support what the message names, or None."""
    return next((reason for pattern, reason in optional if fnmatch.fnmatchcase(message, pattern)), None)


def subgroup_of(case):
    return '.'.join(case.split('.')[1:3])


COLUMNS = ('passed', 'not supported', 'failed', 'crashed', 'hung')


def column_of(status):
    return {'NotSupported': 'not supported', 'Crash': 'crashed', 'Hang': 'hung'}.get(status, 'passed' if status in GOOD else 'failed')


def table(header, lines):
    rows = [[str(cell).replace('|', '\\|') for cell in line] for line in lines]
    return ['| ' + ' | '.join(header) + ' |', '|' + '---|' * len(header)] + ['| ' + ' | '.join(row) + ' |' for row in rows]


def summary(title, cases, rows, source, optional):
    """The summary of a ledger as Markdown. optional: rules of messages of cases that are not supported."""
    groups = collections.OrderedDict((subgroup_of(case), []) for case in cases)
    for case in cases:
        groups[subgroup_of(case)].append(case)
    lines, total = [], collections.Counter()
    for name, members in groups.items():
        ran = [(case, rows[case]) for case in members if case in rows]
        counts = collections.Counter(column_of(row.status) for _, row in ran)
        counts.update(cases=len(members), run=len(ran), stale=sum(source.is_stale(case, row) for case, row in ran))
        seconds = sum(row.seconds for _, row in ran)
        total.update(counts, seconds=seconds)
        lines.append([name, counts['cases'], counts['run'], *(counts[c] for c in COLUMNS), counts['stale'], f'{seconds:.0f}'])
    ran = [case for case in cases if case in rows]
    longest = max(ran, key=lambda case: rows[case].seconds, default=None)
    out = [f'# {title}', '', 'Made by `tests/cts/run --summary`. A stale result is one of an older commit, after which modules have '
           'changed that', 'the case depends on.', '',
           f'* {total["run"]} of {len(cases)} cases have run: ' + ', '.join(f'{total[c]} {c}' for c in COLUMNS) + f'; {total["stale"]} stale',
           f'* {total["seconds"] / 3600:.1f} hours in all' + (f'; the longest took {rows[longest].seconds:.1f} s: `{longest}`' if longest else ''),
           '* commits: ' + ', '.join(f'{commit[:12]} ({count})' for commit, count in
                                     collections.Counter(rows[case].commit for case in ran).most_common()), '']
    out += table(['group', 'cases', 'run', *COLUMNS, 'stale', 'seconds'], lines)
    lacks = collections.Counter(rows[case].message for case in ran if rows[case].status == 'NotSupported')
    reasons = [(count, message, reason_of(message, optional) or '**not justified**') for message, count in lacks.most_common()]
    out += ['', '## Not supported, by what the case says', ''] + table(['cases', 'says', 'why it is optional'], reasons)
    bad = [(case, rows[case]) for case in ran if column_of(rows[case].status) not in ('passed', 'not supported')]
    out += ['', '## Neither passed nor not supported', ''] + ([f'* `{case}`: {row.status}: {row.message}' for case, row in bad] or ['None.'])
    return '\n'.join(out) + '\n'
