#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Checks the reports of the frame inspector: runs API tests with VC4VK_INSPECT and reads every page that they write. The
# costs of all tiles and of all instructions must add up to the totals, and the totals must agree with the interpreter's
# count and with the chip's performance counters. Pages must be well-formed, load nothing from elsewhere, and have no
# dead links.
#
#   inspect.py PROGRAM...    prints TAP
import html.parser, json, os, pathlib, re, subprocess, sys, tempfile

STAGES = ['coordinate instructions', 'vertex instructions', 'fragment instructions', 'user program instructions']
# Source number of a performance counter of the chip -> the inspector's cost that must equal it.
CHIP_COUNTS = {1: 'primitives in tiles', 2: 'quads stopped by early Z', 3: 'quads shaded',
               5: 'quads failing Z or stencil'}
VOID = {'meta', 'img', 'input', 'line', 'rect', 'image'}
UNCLOSED = {'tr', 'td', 'th', 'thead', 'tbody', 'tfoot', 'p'} # their end tags are optional in HTML


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.wrong, self.scripts, self.tables = [], set(), [], [], [], 0
        self.feed(text)
        self.close()
        if self.open:
            self.wrong.append(f'not closed: {self.open}')

    def handle_starttag(self, tag, attributes, closed=False):
        values = dict(attributes)
        if 'id' in values:
            if values['id'] in self.ids:
                self.wrong.append(f'id {values["id"]} is used twice')
            self.ids.add(values['id'])
        for name in ('href', 'src'):
            value = values.get(name)
            if value and value.startswith('#'):
                self.links.append(value[1:])
            elif value and not value.startswith('data:image/png;base64,'):
                self.wrong.append(f'{tag} {name}={value[:60]} refers to something outside the page')
        self.tables += tag == 'table'
        if tag == 'script':
            self.scripts.append('')
        if tag not in VOID and tag not in UNCLOSED and not closed:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes, True)

    def handle_endtag(self, tag):
        if tag in VOID or tag in UNCLOSED:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f'</{tag}> at {self.getpos()} closes no open tag')

    def handle_data(self, text):
        if self.open and self.open[-1] == 'script':
            self.scripts[-1] += text


def check_work(work, costs):
    """Yields each inconsistency in the numbers of a job or operation."""
    where = f'{work["kind"]} {work["number"]} ({work["name"]})'
    total = dict(zip(costs, work['total']))
    if not work['complete']:
        yield f'{where}: the counts are incomplete'
    for i, cost in enumerate(costs):
        tiles = sum(tile[i] for tile in work['tiles']) + work['elsewhere'][i]
        if tiles != work['total'][i]:
            yield f'{where}: {cost}: the tiles sum up to {tiles}, the total is {work["total"][i]}'
    if len(work['tiles']) != work['columns'] * work['rows']:
        yield f'{where}: {len(work["tiles"])} tiles listed, expected {work["columns"]} x {work["rows"]}'
    for stage, cost in enumerate(STAGES):
        lines = sum(sum(p['executed']) for p in work['programs'] if p['stage'] == stage)
        if lines != total[cost]:
            yield f'{where}: {cost}: the instructions sum up to {lines}, the total is {total[cost]}'
    if sum(total[cost] for cost in STAGES) != work['interpreted']:
        yield f'{where}: the interpreter counted {work["interpreted"]} instructions'
    if sum(p['runs'] for p in work['programs']) != total['program runs']:
        yield f'{where}: the runs of all programs do not sum up to {total["program runs"]}'
    for source, cost in CHIP_COUNTS.items():
        if work['chip_counts'][source] != total[cost]:
            yield f'{where}: {cost}: {total[cost]}, but counter {source} has {work["chip_counts"][source]}'


def check_hottest(work, costs, text):
    """Checks that the tile which the page names as the most expensive for each cost really is."""
    part = text.split(f'<details class=work id=j{work["number"]}', 1)[1].split('</details>\n', 1)[0]
    shown = re.findall(r'<tr><td>([\w ]+)<td class=n>[^<]*<td><i [^>]*></i><td class=n>[^<]*<td>\((\d+), (\d+)\)', part)
    for cost, column, row in shown:
        counts = [tile[costs.index(cost)] for tile in work['tiles']]
        if counts[int(row) * work['columns'] + int(column)] != max(counts):
            yield f'{work["kind"]} {work["number"]}: {cost}: tile ({column}, {row}) is not the most expensive'
    wanted = sum(any(tile[i] for tile in work['tiles']) for i in range(len(costs)))
    if len(shown) != wanted:
        yield f'{work["kind"]} {work["number"]}: the page names a tile for {len(shown)} costs, {wanted} costs occur'


def check_lines(data):
    """The lines of each program have to add up to what its works executed."""
    for number, program in enumerate(data['programs'], 1):
        lines = program['lines']
        executed = sum(sum(p['executed']) for w in data['works'] for p in w['programs'] if p['program'] == number)
        if lines and sum(line[3] for line in lines) != executed:
            yield f'program {number}: the lines sum up to {sum(line[3] for line in lines)}, it executed {executed}'
        if lines and sum(line[2] for line in lines) != program['count']:
            yield f'program {number}: the lines have {sum(line[2] for line in lines)} of {program["count"]} instructions'
        if any(line[1] and line[0] >= len(program['files']) for line in lines):
            yield f'program {number}: a line of a file that it does not have'


def check_page(path, seen):
    text = path.read_text()
    page = Page(text)
    yield from page.wrong
    yield from (f'link to #{link}, which does not exist' for link in page.links if link not in page.ids)
    data = json.loads(page.scripts[0])
    sums = [0] * len(data['costs'])
    for work in data['works']:
        yield from check_work(work, data['costs'])
        yield from check_hottest(work, data['costs'], text)
        sums = [a + b for a, b in zip(sums, work['total'])]
        total = dict(zip(data['costs'], work['total']))
        seen |= {work['kind'], f'tiles of {work["tile_px"]} pixels'} | {c for c in total if total[c]}
        if work['engine']:
            seen.add('CPU engine with lists' if work['columns'] else 'CPU engine')
    yield from check_lines(data)
    if any(line[1] and line[3] for program in data['programs'] for line in program['lines']):
        seen.add('executed source lines')
    if sums != data['total']:
        yield 'the total of the frame is not the sum of its jobs and operations'
    if re.search(r'class=src>%\d+ (\w+ )?= Op\w+ %\d+', text):
        seen.add('SPIR-V beside instructions')
    seen |= set(re.findall('|'.join(WORDS), text))


# WORDS must each occur on at least one page, and WANTED must each be seen at least once in all reports together.
WORDS = ['replay 2', 'load operation LOAD', 'store operation STORE', 'resolve attachment', '<figure class=result>',
         '<figure class=heat>', 'uniform words', 'writeonly buffer Sum']
WANTED = {*WORDS, *STAGES, 'SPIR-V beside instructions', 'executed source lines', 'job', 'operation', 'CPU engine', 'CPU engine with lists',
          'tiles of 64 pixels', 'tiles of 32 pixels', 'primitives in tiles', 'quads shaded',
          'quads failing Z or stencil',
          'texture lookups', 'texels', 'DMA stores', 'vertex attributes', 'colour tile loads', 'depth tile stores'}


def main():
    seen, cases = set(), []
    for program in sys.argv[1:]:
        name = pathlib.Path(program).name
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([program], capture_output=True, text=True,
                                 env={**os.environ, 'VC4VK_INSPECT': f'{folder}/reports:submits,1-60'})
            pages = sorted(pathlib.Path(folder, 'reports').glob('frame-*.html'))
            found = [] if run.returncode == 0 else [f'the program fails: {run.stdout[-2000:]}{run.stderr[-2000:]}']
            found += [] if pages else ['it wrote no report']
            for page in pages:
                found += [f'{page.name}: {what}' for what in check_page(page, seen)]
        cases.append((f'{name}: {len(pages)} reports', found))
    cases.append(('all kinds of work were seen', sorted(WANTED - seen)))
    broken = {'kind': 'job', 'number': 1, 'name': 'broken', 'complete': True, 'columns': 1, 'rows': 1, 'interpreted': 7,
              'total': [7, 0, 0, 0, 1], 'elsewhere': [0] * 5, 'tiles': [[6, 0, 0, 0, 1]], 'chip_counts': [0] * 30,
              'programs': [{'stage': 0, 'runs': 1, 'executed': [7]}]}
    costs = STAGES + ['program runs']
    wrong = dict(broken, total=broken['total'] + [0] * 4, elsewhere=[0] * 9, tiles=[broken['tiles'][0] + [0] * 4])
    caught = list(check_work(wrong, costs + list(CHIP_COUNTS.values())))
    cases.append(('a wrong sum is caught', [] if len(caught) == 1 else [str(caught)]))
    print(f'1..{len(cases)}')
    for i, (name, found) in enumerate(cases, 1):
        print(f'{"not ok" if found else "ok"} {i} - {name}')
        for line in found[:20]:
            print(f'# {line}')
    sys.exit(any(found for _, found in cases))


main()
