#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# No circle of dependencies inside a module spans more than three source files. File A depends on file B when A names a
# function or a variable that B defines and that a header of the module declares. Definitions are found in the sources (a
# test of a cross build cannot run nm); every identifier in code counts as a use, those in comments and strings, of
# members (`x->name`) and after `struct` do not. Macros and inline functions of headers count as what they mention. Each
# circle that is too long is reported with the names that hold it together. Prints TAP, one case per module, and checks
# itself against sources made up on purpose.
#
# With a module's name as the second argument it prints the circles of that module, however short.
import pathlib, re, sys

LONGEST = 3
NOISE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
WORD = re.compile(r'(?<![\w.])(?<!->)(?<!struct )(?<!enum )(?<!union )[A-Za-z_]\w*')
# A definition begins in the first column. What precedes the name is a type.
FUNCTION = re.compile(r'^(?!static\b|typedef\b|return\b|else\b|extern\b)[A-Za-z_][\w \t*()",]*?\b([A-Za-z_]\w*)\s*\([^;{}]*\)\s*\{', re.M)
# In headers: a macro with its body, an inline function with its body, which ends at the first column.
MACRO = re.compile(r'^[ \t]*#[ \t]*define[ \t]+(\w+)((?:[^\n]*\\\n)*[^\n]*)', re.M)
INLINE = re.compile(r'^static inline\b[^;{}]*?\b(\w+)\s*\([^;{}]*\)\s*\{(.*?)^\}', re.M | re.S)
PREPROCESSOR = re.compile(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.M)
VARIABLE = re.compile(r'^(?!static\b|typedef\b|extern\b|return\b)(?:[A-Za-z_]\w*[ \t*]+)+([A-Za-z_]\w*)(?:\[[^\]]*\])*\s*(?:=|;)', re.M)


def code(text):
    return NOISE.sub(lambda m: ' ' if m.group()[0] == '/' else '0', text)


def mentions(headers):
    """What inline functions and macros of the headers mention: {name: {names}}."""
    found = {}
    for text in headers:
        for name, body in (*MACRO.findall(text), *INLINE.findall(text)):
            found.setdefault(name, set()).update(WORD.findall(body))
    return found


def reached(words, inside):
    """The words, and those that they mention, directly or not."""
    all_words, todo = set(words), list(words)
    while todo:
        for word in inside.get(todo.pop(), ()):
            if word not in all_words:
                all_words.add(word)
                todo.append(word)
    return all_words


def dependencies(sources):
    """sources: {file: text}, headers among them. Returns {.c file: {.c file: {names}}}."""
    stripped = {name: code(text) for name, text in sources.items()}
    declared = {word for name, text in stripped.items() if name.endswith('.h') for word in WORD.findall(text)}
    files = {name: text for name, text in stripped.items() if name.endswith('.c')}
    inside = mentions([text for name, text in stripped.items() if name.endswith('.h')])
    owner, several = {}, set()
    for name, text in files.items():
        plain = PREPROCESSOR.sub('', text)
        for found in {*FUNCTION.findall(plain), *VARIABLE.findall(plain)} & declared:
            if owner.setdefault(found, name) != name:
                several.add(found)  # one of several implementations, of which the build chooses one
    uses = {}
    for name, text in files.items():
        uses[name] = {}
        for word in reached(WORD.findall(text), inside) - several:
            if owner.get(word, name) != name:
                uses[name].setdefault(owner[word], set()).add(word)
    return uses


def components(graph):
    """Strongly connected components (Tarjan, with a stack of its own)."""
    index, low, on, stack, found = {}, {}, set(), [], []
    for root in sorted(graph):
        if root in index:
            continue
        work = [(root, iter(sorted(graph[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on.add(root)
        while work:
            node, rest = work[-1]
            for other in rest:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on.add(other)
                    work.append((other, iter(sorted(graph[other]))))
                    break
                if other in on:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part = []
                    while True:
                        part.append(stack.pop())
                        on.discard(part[-1])
                        if part[-1] == node:
                            break
                    found.append(sorted(part))
    return found


def circles(sources, longest):
    """Yields the circles of more than `longest` files, as lines of text."""
    graph = dependencies(sources)
    for part in components(graph):
        if len(part) > longest:
            yield [f'circle of {len(part)} files: {", ".join(part)}',
                   *(f'    {a} uses {b}: {", ".join(sorted(graph[a][b]))}' for a in part for b in sorted(graph[a])
                     if b in part)]


def made_up(count, last):
    """Sources in which each of `count` files calls the next one, and the last one has the line `last`."""
    headers = {'m.h': ''.join(f'void m_f{i}(void);\n' for i in range(count))}
    return headers | {f'{i}.c': f'void m_f{i}(void)\n{{\n    ' + (f'm_f{i + 1}();' if i + 1 < count else last) + '\n}\n'
                      for i in range(count)}


def check_self():
    """What the rules above miss or find without cause."""
    for name, sources, found in (
            ('a circle of four files', made_up(4, 'm_f0();'), 1),
            ('a circle of four files, through a pointer', made_up(4, 'call(m_f0);'), 1),
            ('a circle of four files, through an inline function', made_up(4, 'm_i();') | {
                'i.h': 'static inline void m_i(void)\n{\n    m_f0();\n}\n'}, 1),
            ('a circle of four files, through a macro', made_up(4, 'M();') | {'i.h': '#define M() \\\n    m_f0()\n'}, 1),
            ('a circle of three files', made_up(3, 'm_f0();'), 0),
            ('a chain of four files', made_up(4, ''), 0),
            ('a call in a comment', made_up(4, '/* m_f0(); */'), 0),
            ('a name in a string', made_up(4, 'say("m_f0");'), 0),
            ('a member of the same name', made_up(4, 'ops->m_f0();'), 0),
            ('a struct of the same name', made_up(4, 'struct m_f0 s;'), 0),
            ('a static function of the same name', made_up(4, '') | {
                '4.c': 'static int m_f3(void)\n{\n    return m_f0();\n}\n'}, 0)):
        if len(list(circles(sources, LONGEST))) != found:
            yield f'{name}: {"missed" if found else "found without cause"}'


def main():
    src = pathlib.Path(sys.argv[1]) / 'src'
    modules = {p.name: {str(f.relative_to(p)): f.read_text() for f in p.rglob('*.[ch]')}
               for p in sorted(src.iterdir()) if p.is_dir()}
    if len(sys.argv) > 2:
        print(*(line for part in circles(modules[sys.argv[2]], 1) for line in part), sep='\n')
        return 0
    cases = [(f'module {name}', [line for part in circles(sources, LONGEST) for line in part])
             for name, sources in modules.items()]
    cases.append(('made-up circles are found, and nothing else', list(check_self())))
    print(f'1..{len(cases)}')
    for i, (name, found) in enumerate(cases, 1):
        print(f'{"not ok" if found else "ok"} {i} - {name}')
        for f in found:
            print(f'# {f}')
    return any(found for _, found in cases)


sys.exit(main())
