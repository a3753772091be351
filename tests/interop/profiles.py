#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what the driver reports with the Vulkan profiles that are installed.

Profiles are JSON files that libvulkan-dev installs; VKT_PROFILES names further folders. The report is that of
vulkaninfo. Each feature, property, extension, format and queue family that a profile asks for is a row. How the values
of a property compare (limittype) is taken from the registry, and what the registry does not know is left out.

Rows that the driver lacks are listed in EXPECTED with the reason. The test fails when another row is missing, when a
row of the list is no longer missing, and when docs/profiles.md lists other rows. Prints TAP; with --markdown the table
of that page instead.

usage: profiles.py MANIFEST REGISTRY PAGE [--markdown]
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

FOLDERS = ['/usr/share/vulkan/registry/profiles'] + os.environ.get('VKT_PROFILES', '').split(':')

# Profiles whose rows are judged. Those of others are printed only.
JUDGED = re.compile(r'VP_KHR_roadmap_202[24]|VP_LUNARG_desktop_baseline_202[234]|VP_LUNARG_minimum_requirements_1_[0123]')

EXPECTED = {
    'VkPhysicalDeviceProperties.limits.framebufferColorSampleCounts': 'the chip has 1 and 4 samples a pixel',
    'VkPhysicalDeviceProperties.limits.framebufferDepthSampleCounts': 'the chip has 1 and 4 samples a pixel',
    'VkPhysicalDeviceProperties.limits.framebufferNoAttachmentsSampleCounts': 'the chip has 1 and 4 samples a pixel',
    'VkPhysicalDeviceProperties.limits.framebufferStencilSampleCounts': 'the chip has 1 and 4 samples a pixel',
    'VkPhysicalDeviceProperties.limits.sampledImageColorSampleCounts': 'the chip has 1 and 4 samples a pixel',
    'VkPhysicalDeviceProperties.limits.sampledImageDepthSampleCounts': 'the chip has 1 and 4 samples a pixel',
    'VkPhysicalDeviceProperties.limits.sampledImageIntegerSampleCounts': 'the chip has 1 and 4 samples a pixel',
    'VkPhysicalDeviceProperties.limits.sampledImageStencilSampleCounts': 'the chip has 1 and 4 samples a pixel',
    'VkPhysicalDeviceProperties.limits.maxDrawIndirectCount': 'an indirect command is recorded as that many draws',
    'VkPhysicalDeviceProperties.limits.maxStorageBufferRange': 'programs multiply indices by strides in 24 bits',
    'VkPhysicalDeviceProperties.sparseProperties.residencyAlignedMipSize': 'images have no sparse residency',
    'VkPhysicalDeviceVulkan11Properties.subgroupSize': 'a subgroup is the 16 lanes of a QPU',
    'VkPhysicalDeviceSubgroupSizeControlProperties.maxSubgroupSize': 'a subgroup is the 16 lanes of a QPU',
    'VkPhysicalDeviceVulkan11Properties.subgroupQuadOperationsInAllStages': 'vertex programs have no quads',
}

# Rows of which some profiles ask for more than others do. They are met where only the others are installed.
PARTLY = {'VkPhysicalDeviceVulkan11Properties.subgroupSize'}


class Registry:
    """Aliases of structs and values, and how the members of structs compare."""

    def __init__(self, path):
        root = ET.parse(path).getroot()
        self.struct_alias = {t.get('name'): t.get('alias') for t in root.iter('type')
                             if t.get('category') == 'struct' and t.get('alias')}
        self.value_alias = {e.get('name'): e.get('alias') for e in root.iter('enum') if e.get('alias')}
        self.kinds = {}
        for t in root.iter('type'):
            if t.get('category') == 'struct' and not t.get('alias'):
                self.kinds[t.get('name')] = {m.find('name').text: (m.get('limittype') or '', m.find('type').text)
                                             for m in t.findall('member') if m.find('name') is not None}
        # The registry says 'min' of the alignment that mapped memory has at the least: a greater one is better.
        self.kinds['VkPhysicalDeviceLimits']['minMemoryMapAlignment'] = ('max,pot', 'size_t')
        self.device_extensions = {e.get('name') for e in root.iter('extension') if e.get('type') != 'instance'}

    def struct(self, name):
        while name in self.struct_alias:
            name = self.struct_alias[name]
        return name

    def value(self, name):
        while isinstance(name, str) and name in self.value_alias:
            name = self.value_alias[name]
        return name


class Report:
    """What vulkaninfo writes about the device, with the names of the registry."""

    def __init__(self, data, registry):
        device = data['capabilities']['device']
        self.registry = registry
        self.extensions = device.get('extensions', {})
        self.formats = {registry.value(k): v for k, v in device.get('formats', {}).items()}
        self.queues = [q.get('VkQueueFamilyProperties', {}) for q in device.get('queueFamiliesProperties', [])]
        self.features = {registry.struct(k): v for k, v in device.get('features', {}).items()}
        self.properties = {registry.struct(k): v for k, v in device.get('properties', {}).items()}

    def find(self, group, struct, member):
        """The member in the struct, or in another one that repeats it. None: not reported."""
        if member in group.get(struct, {}):
            return group[struct][member]
        for other in group.values():
            if member in other:
                return other[member]
        return None


INDEPENDENCE = ['VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE', 'VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY',
                'VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL'] # each is at least as good as those before it


def bits(registry, values):
    return {registry.value(v) for v in (values if isinstance(values, list) else [values])}


def is_met(registry, kind, wanted, got):
    """Whether a reported value is at least as good as what a profile asks for."""
    if got is None:
        return False
    if isinstance(wanted, bool):
        return not wanted or bool(got)
    if kind.startswith('range'):
        return got[0] <= wanted[0] and got[1] >= wanted[1]
    if isinstance(wanted, list) and wanted and isinstance(wanted[0], (int, float)):
        return all(is_met(registry, kind, w, g) for w, g in zip(wanted, got))
    if isinstance(wanted, (list, str)):
        if wanted in INDEPENDENCE and got in INDEPENDENCE:
            return INDEPENDENCE.index(got) >= INDEPENDENCE.index(wanted)
        return bits(registry, wanted) <= bits(registry, got)
    if kind.startswith('min'):
        return got <= wanted
    if kind.startswith(('max', 'bits')):
        return got >= wanted
    return got == wanted


def rows_of_struct(report, group, struct, wanted, name, own):
    kinds = report.registry.kinds.get(struct, {})
    for member, value in wanted.items():
        got = own.get(member) if own is not None else report.find(group, struct, member)
        kind, kind_of = kinds.get(member, ('', ''))
        if isinstance(value, dict):
            yield from rows_of_struct(report, group, kind_of, value, f'{name}.{member}', got or {})
        elif kind != 'noauto' or isinstance(value, bool):
            yield f'{name}.{member}', is_met(report.registry, kind, value, got), value, got


def rows_of_format(report, name, wanted):
    got = report.formats.get(report.registry.value(name), {})
    for struct, members in wanted.items():
        three = struct.startswith('VkFormatProperties3')
        own = got.get('VkFormatProperties3' if three else 'VkFormatProperties', {})
        for member, value in members.items():
            missing = bits(report.registry, value) - bits(report.registry, own.get(member, []))
            yield f'{name}.{member}', not missing, value, own.get(member)


def rows_of_queue(report, wanted):
    want = wanted.get('VkQueueFamilyProperties', {})
    flags = want.get('queueFlags', [])
    found = any(bits(report.registry, flags) <= bits(report.registry, q.get('queueFlags', [])) and
                q.get('queueCount', 0) >= want.get('queueCount', 0) and
                q.get('timestampValidBits', 0) >= want.get('timestampValidBits', 0) for q in report.queues)
    yield 'queue family ' + '|'.join(flags), found, want, None


def rows_of_capability(report, capability):
    for name, version in capability.get('extensions', {}).items():
        if name in report.registry.device_extensions: # the report has no instance extensions
            yield name, report.extensions.get(name, 0) >= version, version, report.extensions.get(name)
    for key, group in (('features', report.features), ('properties', report.properties)):
        for struct, members in capability.get(key, {}).items():
            struct = report.registry.struct(struct)
            if struct not in report.registry.kinds:
                continue
            yield from rows_of_struct(report, group, struct, members, struct, None)
    for name, wanted in capability.get('formats', {}).items():
        yield from rows_of_format(report, name, wanted)
    for wanted in capability.get('queueFamiliesProperties', []):
        yield from rows_of_queue(report, wanted)


def rows_of_profile(report, file, name):
    """The rows of a profile and of those that it includes. Of alternatives, the one that lacks least counts."""
    profile = file['profiles'][name]
    for included in profile.get('profiles', []):
        if included in file['profiles']:
            yield from rows_of_profile(report, file, included)
    for entry in profile['capabilities']:
        choices = [list(rows_of_capability(report, file['capabilities'][c]))
                   for c in (entry if isinstance(entry, list) else [entry])]
        yield from min(choices, key=lambda rows: sum(not met for _, met, _, _ in rows))


def read_report(manifest, registry, preload):
    folder = tempfile.mkdtemp(prefix='vc4vk-profiles-')
    try:
        env = dict(os.environ, VK_ICD_FILENAMES=manifest, VK_DRIVER_FILES=manifest, LD_PRELOAD=preload,
                   ASAN_OPTIONS='detect_leaks=0')
        subprocess.run(['vulkaninfo', '-j'], cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        with open(glob.glob(folder + '/VP_*.json')[0], encoding='utf-8') as f:
            return Report(json.load(f), registry)
    finally:
        shutil.rmtree(folder)


def read_profiles():
    for folder in FOLDERS:
        for path in sorted(glob.glob(folder + '/VP_*.json')) if folder else []:
            with open(path, encoding='utf-8') as f:
                file = json.load(f)
            for name in sorted(file['profiles']):
                if not name.startswith('VP_VULKANINFO'):
                    yield file, name


def table():
    lines = ['| row | why it is missing |', '|---|---|']
    return lines + [f'| `{row}` | {why} |' for row, why in sorted(EXPECTED.items())]


def main():
    manifest, registry_path, page, *preload = (arg for arg in sys.argv[1:] if not arg.startswith('--'))
    if '--markdown' in sys.argv:
        print('\n'.join(table()))
        return 0
    if not shutil.which('vulkaninfo') or not list(read_profiles()):
        print('1..0 # SKIP vulkaninfo or the profiles are not installed')
        return 0
    report = read_report(manifest, Registry(registry_path), ''.join(preload))
    failures, count, missed, asked = 0, 0, set(), set()
    for file, name in read_profiles():
        rows = {}
        for row, met, wanted, got in rows_of_profile(report, file, name): # several parts may ask for one
            if row not in rows or not met:
                rows[row] = met, wanted, got
        missing = {row for row, (met, _, _) in rows.items() if not met}
        for row in sorted(missing):
            print(f'# {name}: {row}: wanted {rows[row][1]}, reported {rows[row][2]}' +
                  (' (expected)' if row in EXPECTED else ''))
        if not JUDGED.fullmatch(name):
            continue
        asked |= set(rows)
        missed |= missing
        count += 1
        failures += bool(missing - set(EXPECTED))
        print(f'{"not ok" if missing - set(EXPECTED) else "ok"} {count} - {name}: {len(rows) - len(missing)} of '
              f'{len(rows)} rows')
    for what, bad in (('expected rows are missing', sorted((set(EXPECTED) & asked) - missed - PARTLY)),
                      ('the page lists them', sorted(set(table()) - set(open(page, encoding='utf-8').read().split('\n'))))):
        count += 1
        failures += bool(bad)
        for row in bad:
            print(f'# {row}')
        print(f'{"not ok" if bad else "ok"} {count} - {what}')
    print(f'1..{count}')
    return failures != 0


if __name__ == '__main__':
    sys.exit(main())
