#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Compares the documents with the tree: modules (docs/modules.md), debug words, environment variables, usage of the tools,
# the kernel's rules with their tests, links, every file that a comment or a document names, and every file, function,
# struct and enum that a page of docs/modules names. Prints TAP.
import pathlib, re, subprocess, sys

root = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(root / 'tests/unit'))


def files(*patterns):
    return [p for pattern in patterns for p in sorted(root.glob(pattern))]


def modules():
    rows = re.findall(r'^\| ([\w/]+) \| .* \| ([\w/, -]+) \| [^|]* \|$', (root / 'docs/modules.md').read_text(), re.M)
    listed = {name: set() if may == '-' else set(may.split(', ')) for name, may in rows}
    text = (root / 'tests/unit/module_dependencies.py').read_text()
    table = {}
    exec(re.search(r'^MODULES = \{.*?^\}', text, re.S | re.M).group(0), table)
    public = {}
    exec(re.search(r'^PUBLIC = \{.*?^\}', text, re.S | re.M).group(0), public)
    documented = dict(re.findall(r'^\| ([\w/]+) \| ((?:`[\w./]+`(?:, )?)+|-) \|$',
                                 (root / 'docs/modules.md').read_text(), re.M))
    for name, headers in public['PUBLIC'].items():
        want = ', '.join(f'`{header}.h`' for header in headers) or '-'
        if documented.get(name) != want:
            yield f'docs/modules.md: the public headers of {name} should read: {want}'
    for name in table['MODULES']:
        if name not in listed:
            yield f'docs/modules.md does not list {name}'
        elif listed[name] != set(table['MODULES'][name]):
            yield f'docs/modules.md and module_dependencies.py differ in what {name} may include'


def capabilities():
    """docs/capabilities.md has each capability that the compiler takes, once, by its name or an alias without a suffix."""
    code = (root / 'src/compiler/spirv/spv_capability.c').read_text()
    taken = re.findall(r'case SpvCapability(\w+):', code)
    rows = re.findall(r'^\| ([\w, ]+) \| (?:native|lowered|CPU engine) \| [^|]+ \|$', (root / 'docs/capabilities.md').read_text(), re.M)
    listed = [name for row in rows for name in row.split(', ')]
    plain = {re.sub('(EXT|KHR)$', '', name) for name in listed}
    for name in taken:
        if name not in listed and re.sub('(EXT|KHR)$', '', name) not in plain:
            yield f'docs/capabilities.md does not list {name}'
    for name in listed:
        if listed.count(name) > 1:
            yield f'docs/capabilities.md lists {name} twice'
        if not any(re.fullmatch(re.escape(name) + '(EXT|KHR)?', other) for other in taken):
            yield f'docs/capabilities.md lists {name}, which the compiler refuses'


def debug_words():
    words = dict(re.findall(r'X\(\w+, "([^"]+)",\s*"([^"]+)"\)', (root / 'src/util/debug.h').read_text()))
    listed = dict(re.findall(r'^\| `([\w-]+)` \| (.*) \|$', (root / 'docs/variables.md').read_text(), re.M))
    for word, text in words.items():
        if listed.get(word) != text:
            yield f'docs/variables.md: the row of {word} should read: {text}'


# Variables of libraries that we use, or of the system. docs/variables.md need not list them.
FOREIGN = re.compile(r'HOME|TERM|PATH|PWD|DISPLAY|WAYLAND_DISPLAY|XDG_\w+|VK_\w+|LD_\w+|MESON_\w+|\w+SAN_OPTIONS|BASH_\w+')


def variables():
    rows = re.findall(r'^\| (`[A-Z].*?`) \|', (root / 'docs/variables.md').read_text(), re.M)
    listed = {name for row in rows for name in re.findall(r'`([A-Z0-9_]+)(?:=\w+)?`', row)}
    read = {}
    for path in files('src/**/*.c', 'src/**/*.h', 'tools/**/*.c', 'tests/**/*.c', 'tests/**/*.py', 'tests/bench/vkmark',
                      'tests/cts/run', 'tests/**/*.sh', 'run'):
        if path.name == 'docs.py':
            continue
        text = path.read_text()
        names = re.findall(r'(?:getenv|util_environment(?:_number)?)\("(\w+)"', text)
        names += re.findall(r"environ(?:\.get\(|\[)['\"](\w+)", text)
        for either in re.findall(r'\bgetenv\([^()"]*"(\w+)" : "(\w+)"\)', text):
            names += either
        if path.suffix not in ('.c', '.h', '.py'):
            names += re.findall(r'\$\{([A-Z]\w+):-', text)
        for name in names:
            if not FOREIGN.fullmatch(name) and name != 'VC4VK_TEST':
                read.setdefault(name, path.relative_to(root))
    for name, path in read.items():
        if name not in listed:
            yield f'docs/variables.md does not list {name} ({path})'
    for name in sorted(listed - set(read)):
        yield f'docs/variables.md lists {name}, which no file reads'


def tools():
    """The usage of each tool in docs/tools.md agrees with the usage text in its source."""
    for row in re.findall(r'^\| (`vc4.*?) \| [^|]*', (root / 'docs/tools.md').read_text(), re.M):
        for call in re.findall(r'`(vc4[^`]*)`', row.replace('\\|', '|')):
            tool, _, arguments = call.partition(' ')
            name = tool.replace('-', '_')
            sources = files(f'tools/{name}.c', *{'vc4-bench': ['tools/bench/*.c'], 'vc4vk-info': ['tools/info/*.c']}.get(tool, []))
            said = ''.join(re.sub(r'\\n +', ' ', re.sub(r'"\s*"', '', path.read_text())) for path in sources)
            if arguments not in said:
                yield f'docs/tools.md: {call}: differs from the usage text of {tool}'


# File names in a folder of this project: src/..., hw/format.c, tests/..., docs/...
NAMED = re.compile(r'(?<![\w/.<])((?:src/|tests/|docs/|tools/)?(?:%s)/[\w/]+\.(?:c|h|py|xml|md|sh))(?![\w])' %
                   '|'.join(['unit', 'api', 'interop'] + sorted(
                       {p.name for p in [*root.glob('src/*'), *root.glob('src/*/*')] if p.is_dir()})))
NAMED_DOC = re.compile(r'(?<![\w/])((?:docs|tests)/[\w/]+\.(?:md|py|sh|c))')


def named_files():
    for path in files('src/**/*.c', 'src/**/*.h', 'src/**/*.py', 'tests/**/*.c', 'tests/**/*.h', 'tests/**/*.py',
                      'tools/*.c', 'docs/**/*.md', 'README.md'):
        if path.name == 'docs.py':
            continue
        for name in NAMED.findall(path.read_text()) + NAMED_DOC.findall(path.read_text()):
            base = name.split('/')[-1]
            places = [root / name, root / 'src' / name, root / 'tests' / name, path.parent / name,
                      root / 'src/compiler' / name, root / 'src/model' / name]
            generated = re.search(r'_gen\.[ch]$', base)
            if not generated and not any(p.exists() for p in places):
                yield f'{path.relative_to(root)} names {name}, which does not exist'


def module_pages():
    """Every `file.c`, `function()`, `struct name` and `enum name` in docs/modules exists; docs/modules.md links to each page."""
    pages = files('docs/modules/*.md')
    code = files('src/**/*', 'tools/**/*', 'tests/**/*', 'meson.build', 'run')
    paths = [str(path.relative_to(root)) for path in code]
    text = '\n'.join(path.read_text() for path in code if path.suffix in ('.c', '.h', '.py', '.xml') and path.name != 'docs.py')
    called = set(re.findall(r'\b(\w+)\s*\)?\(', text))
    kinds = {kind: set(re.findall(r'\b%s (\w+)\s*[{;]' % kind, text)) for kind in ('struct', 'enum')}
    for page in pages:
        where = page.relative_to(root)
        for quoted in re.findall(r'`([^`\n]+)`', re.sub(r'^(    |```).*$', '', page.read_text(), flags=re.M)):
            file = re.fullmatch(r'[\w./-]+\.(?:[ch]|py|sh|xml|map|txt|in)', quoted)
            function = re.fullmatch(r'(\w+)\(\)', quoted)
            kind = re.fullmatch(r'(struct|enum) (\w+)', quoted)
            if file and not re.search(r'_gen\.[ch]$', quoted) and not any(
                    path == quoted or path.endswith('/' + quoted) for path in paths):
                yield f'{where} names {quoted}, which does not exist'
            elif function and function.group(1) not in called and not function.group(1).startswith('vk'):
                yield f'{where} names {quoted}, which no source defines or calls'
            elif kind and kind.group(2) not in kinds[kind.group(1)]:
                yield f'{where} names {quoted}, which no source declares'
    listed = set(re.findall(r'\]\(modules/([\w-]+)\.md\)', (root / 'docs/modules.md').read_text()))
    for name in sorted({page.stem for page in pages} ^ listed):
        yield f'docs/modules/{name}.md is in only one of docs/modules and the links of docs/modules.md'


def kernel_test_cases():
    """Maps (file, case) to the set of rules that the case breaks. KEEPS stands for a case that expects success."""
    found = {}
    for path in files('tests/unit/model_kernel/*.c'):
        text = path.read_text()
        rows = re.findall(r'\{"(\w+)",\s*(?:KRN_RULE_)?(\w+)', text)
        rows += re.findall(r'\b(?:ROW|BAD)\((\w+),\s*(\w+)\)', text) + re.findall(r'\bBAD\("(\w+)",\s*(\w+)', text)
        rows += [(name, 'KEEPS') for name in re.findall(r'\bOK\("(\w+)"', text)]
        for name in re.findall(r'cmocka_unit_test\((\w+)\)', text) + re.findall(r'\{"\w+", (\w+), NULL', text):
            body = re.search(r'^static void %s\(void \*\*state\)\n\{\n(.*?)^\}' % name, text, re.M | re.S)
            if body:
                rows += [(name, rule) for rule in re.findall(r'KRN_RULE_(\w+)', body.group(1))]
                rows += [(name, 'KEEPS')] * ('assert_accepted(' in body.group(1))
        for name, rule in rows:
            found.setdefault((path.stem, name), set()).add(rule)
    return found


def kernel_rules():
    page = 'docs/kernel-rules.md'
    rules = set(re.findall(r'X\((\w+), "9', (root / 'src/model/kernel/krn_refuse.h').read_text()))
    rows = re.findall(r'^\| `(\w+)` \| (.*) \| (.*) \| (.*) \|$', (root / page).read_text(), re.M)
    cases = kernel_test_cases()
    for rule in sorted(rules ^ {row[0] for row in rows}):
        yield f'{rule} is in only one of {page} and krn_refuse.h'
    for rule, what, keeps, breaks in rows:
        for test, want in (keeps, 'KEEPS'), (breaks, rule):
            named = re.fullmatch(r'`(\w+): (\w+)`', test)
            if not named and not (want == rule and test.startswith('none: ')):
                yield f'{page}, {rule} ({what}): "{test}" is not of the form `file: test`'
            elif named and want not in cases.get(named.groups(), ()):
                yield f'{page}, {rule} ({what}): there is no test "{test}" that expects {want}'


def self_contained():
    """No test, script or document refers to a folder outside the project."""
    for path in files('**/meson.build', 'src/**/*.py', 'tests/**/*.py', 'tests/**/*.sh', 'tests/**/*.md', 'docs/**/*.md', '*.md',
                      'tests/cts/run', 'tests/bench/vkmark', 'packaging/*', 'run'):
        if path.name == 'docs.py' or path.relative_to(root).parts[0].startswith('build') or not path.is_file():
            continue
        for line in path.read_text(errors='replace').splitlines():
            if re.search(r"\.\./shared\b|source_root\(\) / '\.\.", line):
                yield f'{path.relative_to(root)} refers to a folder outside the project: {line.strip()}'


def links():
    """Links lead to existing files. Documents in the packages (packaging/deb.sh) link only to documents in the packages."""
    carried = files('README.md', 'LICENSE', 'docs/*.md')
    pages = set(carried)
    for page in carried:
        pages |= {path for path in linked(page) if path.suffix == '.md' and path.is_file() and path.is_relative_to(root)}
    for page in sorted(pages):
        for path in linked(page):
            if not path.is_file():
                yield f'{page.relative_to(root)} links to {path}, which does not exist'
            elif path not in pages:
                yield f'{page.relative_to(root)} links to {path}, which is not in the packages'


def linked(page):
    for link in re.findall(r'\]\(([^)#:]+)(?:#[^)]*)?\)', page.read_text()):
        yield (page.parent / link).resolve()


cases = [('modules', modules), ('capabilities', capabilities), ('debug words', debug_words), ('variables', variables), ('tools', tools),
         ('named files', named_files), ('module pages', module_pages), ('links', links),
         ('kernel rules', kernel_rules), ('self-contained', self_contained)]
print(f'1..{len(cases)}')
failed = False
for number, (name, check) in enumerate(cases, 1):
    found = list(check())
    failed |= bool(found)
    print(f'{"not ok" if found else "ok"} {number} - {name}')
    for line in found:
        print(f'# {line}')
sys.exit(failed)
