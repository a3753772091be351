#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# check_content.py FILE.deb...: checks the files and the metadata of the packages of one architecture, without
# installing them. Prints the problems that it finds.
import hashlib, io, json, posixpath, re, struct, subprocess, sys, tarfile

MACHINE = {'amd64': ('x86_64-linux-gnu', 62), 'arm64': ('aarch64-linux-gnu', 183), 'armhf': ('arm-linux-gnueabihf', 40)}
TOOLS = ['vc4-cl', 'vc4-qpu', 'vc4-replay', 'vc4c', 'vc4vk-info']


def command(*words):
    return subprocess.run(words, check=True, capture_output=True).stdout


class Package:
    def __init__(self, path):
        self.path = path
        self.control = dict(re.findall(r'^([\w-]+): (.*)$', command('dpkg-deb', '-f', path).decode(), re.M))
        self.name, self.arch = self.control['Package'], self.control['Architecture']
        self.members, self.data = {}, {}
        with tarfile.open(fileobj=io.BytesIO(command('dpkg-deb', '--fsys-tarfile', path))) as tar:
            for member in tar:
                name = member.name.removeprefix('./')
                self.members[name] = member
                if member.isfile():
                    self.data[name] = tar.extractfile(member).read()
        with tarfile.open(fileobj=io.BytesIO(command('dpkg-deb', '--ctrl-tarfile', path))) as tar:
            self.own = {m.name.removeprefix('./'): tar.extractfile(m).read() for m in tar if m.isfile()}

    def text(self, name):
        data = self.data[name]
        return (subprocess.run(['gzip', '-dc'], input=data, capture_output=True, check=True).stdout
                if name.endswith('.gz') else data).decode()


def check_files(p):
    """Files are below /usr, owned by root and have the usual modes; there are no scripts; md5sums is right."""
    if set(p.own) != {'control', 'md5sums'}:
        yield f'has control files {sorted(p.own)}, expected control and md5sums'
    for name, m in p.members.items():
        if name not in ('', '.') and not re.match(r'usr(/|$)', name):
            yield f'{name} is not below /usr'
        mode = 0o755 if m.isdir() or name.startswith('usr/bin/') else 0o644
        if (m.uid, m.gid) != (0, 0) or (not m.issym() and m.mode != mode):
            yield f'{name} has owner {m.uid}:{m.gid} and mode {m.mode:o}, expected 0:0 and {mode:o}'
    sums = dict(reversed(line.split('  ')) for line in p.own['md5sums'].decode().splitlines())
    if sums != {name: hashlib.md5(data).hexdigest() for name, data in p.data.items()}:
        yield 'md5sums does not match the files'


def check_machine(p):
    triplet, machine = MACHINE[p.arch]
    for name, data in p.data.items():
        if data[:4] == b'\x7fELF' and struct.unpack_from('<H', data, 18)[0] != machine:
            yield f'{name} is not for {p.arch}'
        if name.endswith('.so') and posixpath.dirname(name) != f'usr/lib/{triplet}/vc4vk':
            yield f'{name} is not in the private folder usr/lib/{triplet}/vc4vk'


def check_driver(p):
    if p.control.get('Multi-Arch') != 'same' or 'libc6 (>=' not in p.control['Depends'] or 'libvulkan1' not in p.control['Depends']:
        yield f'Multi-Arch is not "same", or Depends lacks libc6 or libvulkan1: {p.control}'
    manifests = [name for name in p.data if name.startswith('usr/share/vulkan/icd.d/')]
    if len(manifests) != 1:
        yield f'has {len(manifests)} manifests, expected one: {manifests}'
    for name in manifests:
        library = json.loads(p.data[name])['ICD']['library_path']
        if library.removeprefix('/') not in p.data:
            yield f'{name} names {library}, which is not in the package'
    jit = [name for name in p.data if name.endswith('/libvc4vk_jit.so')]
    if jit and p.arch == 'armhf':
        yield 'has a JIT, which does not support armhf'
    if jit and b'libLLVM-' not in p.data[jit[0]] and ('usr/share/doc/vc4vk/copyright.llvm' not in p.data or
                                                     'Built-Using' not in p.control):
        yield 'contains LLVM but lacks copyright.llvm or Built-Using'
    for name in ('usr/share/doc/vc4vk/copyright', 'usr/share/doc/vc4vk/copyright.xxhash', 'usr/share/doc/vc4vk/copyright.stb',
                 'usr/share/doc/vc4vk/changelog.gz', 'usr/share/man/man7/vc4vk.7.gz'):
        if name not in p.data:
            yield f'lacks {name}'


def check_links(p):
    """Links between documents lead to files in the package."""
    for name in p.data:
        if name.endswith('.md'):
            for link in re.findall(r'\]\(([^)#:]+)(?:#[^)]*)?\)', p.text(name)):
                if posixpath.normpath(posixpath.join(posixpath.dirname(name), link)) not in p.members:
                    yield f'{name} links to {link}, which is not in the package'


def check_tools(p):
    if f"vc4vk (= {p.control['Version']})" not in p.control['Depends']:
        yield f"does not depend on vc4vk of the same version: {p.control['Depends']}"
    for tool in TOOLS:
        if f'usr/bin/{tool}' not in p.data:
            yield f'lacks {tool}'
        page = f'usr/share/man/man1/{tool}.1.gz'
        if page not in p.data or not re.search(r'^\.SH NAME\n' + re.escape(tool.replace('-', '\\-')), p.text(page), re.M):
            yield f'lacks the manual page of {tool}'


def main():
    problems = []
    for path in sys.argv[1:]:
        p = Package(path)
        checks = [check_files, check_machine] + ([check_tools] if p.name == 'vc4vk-tools' else [check_driver, check_links])
        found = [fault for check in checks for fault in check(p)]
        print(f"{p.name} for {p.arch}: {len(p.data)} files, {sum(map(len, p.data.values())) >> 10} KiB", *found, sep='\n  ')
        problems += found
    sys.exit(len(problems) > 0)


main()
