#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Generates the entry points from the Khronos registry: either a header with the prototypes or a source file. The source
# holds the table of entry points by name and two functions for each: a weak stub, which is linked unless a module
# defines the real function, and a reporting wrapper for instances with VK_EXT_debug_utils. The wrapper calls the
# function and then delivers its messages to the messengers (util/log.h).
#
#   vc4vk_entrypoints_gen.py vk.xml vc4vk_extensions.h header|source > out
#
# Covered are the versions of Vulkan up to 1.4 and the extensions with a row in vc4vk_extensions.h. A command that has
# several names, because a version or an extension promoted it, is one function; a module defines it under the name with
# KHR, else under the one with EXT.
#
# The build fails when the registry lacks commands that every driver has.
import sys
import xml.etree.ElementTree as ET
from vc4vk_registry import features_of, is_met, is_ours, read_rows, text_of

# The preprocessor symbols that guard the declarations of platform extensions.
GUARDS = {
    'VK_KHR_wayland_surface': 'VK_USE_PLATFORM_WAYLAND_KHR',
    'VK_KHR_xcb_surface': 'VK_USE_PLATFORM_XCB_KHR',
    'VK_KHR_xlib_surface': 'VK_USE_PLATFORM_XLIB_KHR',
}
GLOBAL = {'vkCreateInstance', 'vkEnumerateInstanceExtensionProperties', 'vkEnumerateInstanceLayerProperties',
          'vkEnumerateInstanceVersion', 'vkGetInstanceProcAddr'}
# One command from each group that the registry lists separately.
NEEDED = {'vkCreateInstance', 'vkQueueSubmit', 'vkCmdDispatch', 'vkCmdDraw', 'vkEnumerateInstanceVersion', 'vkCmdDispatchBase',
          'vkWaitSemaphores', 'vkCmdDrawIndirectCount', 'vkCreateRenderPass2', 'vkQueueSubmit2', 'vkCreatePrivateDataSlot',
          'vkCmdBeginRendering'}
GATE_KEYS = 3 # VC4VK_GATE_KEYS
MINOR_VERSIONS = range(5) # of Vulkan 1; older registries do not have all of them
LEVELS = {'VkInstance': 'INSTANCE', 'VkPhysicalDevice': 'PHYSICAL_DEVICE', 'VkDevice': 'DEVICE', 'VkQueue': 'DEVICE',
          'VkCommandBuffer': 'DEVICE'}


class Command:
    def __init__(self, name, node, provider, kind):
        self.name = self.function = name
        self.result = node.findtext('proto/type')
        self.provider, self.kind = provider, kind  # an extension and 'instance' or 'device', or a minor version and 'core'
        self.others = []  # further extensions of this kind that provide it
        self.params = [(p.findtext('type'), p.findtext('name'), text_of(p), p.get('len'))
                       for p in node.findall('param') if is_ours(p)]

    @property
    def guard(self):
        return GUARDS.get(self.provider)

    @property
    def level(self):
        return 'GLOBAL' if self.name in GLOBAL else LEVELS.get(self.params[0][0], 'DEVICE')

    @property
    def gate(self):
        if self.kind == 'core':
            return f'VC4VK_GATE_CORE, {{{self.provider}}}, 1'
        keys = [f'offsetof(struct vc4vk_{self.kind}_extensions, {provider[3:]})'
                for provider in sorted([self.provider] + self.others)][:GATE_KEYS]
        return f'VC4VK_GATE_{self.kind.upper()}, {{{", ".join(keys)}}}, {len(keys)}'

    def add_provider(self, provider, kind):
        if kind == self.kind != 'core' and provider not in [self.provider] + self.others:
            self.others.append(provider)

    @property
    def is_own(self):
        """False for an alias: its function has another name."""
        return self.function == self.name

    def prototype(self):
        return (f'VKAPI_ATTR {self.result} VKAPI_CALL {symbol(self.name)}('
                + ', '.join(p[2] for p in self.params) + ')')


def symbol(name):
    return 'vc4vk_' + name.removeprefix('vk')


def read_commands(registry, rows):
    root = ET.parse(registry).getroot()
    ours = [n for n in root.findall('commands/command') if is_ours(n)]
    nodes = {n.findtext('proto/name'): n for n in ours if n.find('proto') is not None}
    aliases = {n.get('name'): n.get('alias') for n in ours if n.get('alias')}
    found, versions = {}, set()

    def target_of(name):
        while name in aliases:
            name = aliases[name]
        return name

    def take(name, provider, kind):
        if target_of(name) not in nodes:
            sys.exit(f'vc4vk_entrypoints_gen.py: {registry}: {name} is required, and has no prototype')
        if name in found:
            found[name].add_provider(provider, kind)
        else:
            found[name] = Command(name, nodes[target_of(name)], provider, kind)

    for minor in MINOR_VERSIONS:
        for feature in features_of(root, f'VK_VERSION_1_{minor}', versions):
            for require in filter(is_ours, feature.findall('require')):
                for command in require.findall('command'):
                    take(command.get('name'), minor, 'core')
    if NEEDED - found.keys():
        sys.exit(f'vc4vk_entrypoints_gen.py: {registry}: Vulkan 1.0 to 1.3 have no {", ".join(sorted(NEEDED - found.keys()))}; '
                 'this layout of the registry is not known')
    # Some commands require two extensions. They belong to the extension that provides them with core versions alone.
    for have in versions, versions | rows.keys():
        for extension in root.findall('extensions/extension'):
            name = extension.get('name')
            if name not in rows:
                continue
            for require in filter(is_ours, extension.findall('require')):
                depends = require.get('depends') or '+'.join(filter(None, (require.get('feature'), require.get('extension'))))
                if is_met(depends, have):
                    for command in require.findall('command'):
                        take(command.get('name'), name, rows[name])
    names_of = {}
    for name in found:
        names_of.setdefault(target_of(name), []).append(name)
    for names in names_of.values():
        function = min(names, key=lambda name: (not name.endswith('KHR'), not name.endswith('EXT'), name))
        for name in names:
            found[name].function = function
    handles = {n.findtext('name') or n.get('name') for n in root.findall('types/type') if n.get('category') == 'handle'}
    return [found[name] for name in sorted(found)], handles


def guarded(command, text):
    return f'#ifdef {command.guard}\n{text}\n#endif' if command.guard else text


def weak_stub(command, handles):
    """A weak stub that fails cleanly: it nulls output handles and reports its first call under `perf`."""
    lines = [f'__attribute__((weak)) {command.prototype()}', '{']
    kind, name, text, length = command.params[-1]
    if command.result == 'VkResult' and kind in handles and '*' in text and 'const' not in text:
        by_value = {p[1] for p in command.params if '*' not in p[2]}
        if length in by_value:
            lines += [f'    for (uint32_t i = 0; i < {length}; i++)', f'        {name}[i] = VK_NULL_HANDLE;']
        elif not length:
            lines += [f'    *{name} = VK_NULL_HANDLE;']
    lines.append('    static atomic_flag was_reported = ATOMIC_FLAG_INIT;')
    lines.append(f'    vc4vk_unimplemented("{command.name}", &was_reported);')
    if command.result == 'VkResult':
        lines.append('    return VK_ERROR_FEATURE_NOT_PRESENT;')
    elif command.result != 'void':
        lines.append('    return 0;')
    return '\n'.join(lines + ['}', ''])


def has_wrapper(command):
    """Whether the instance and its messengers exist before and after the call."""
    return command.level != 'GLOBAL' and command.name != 'vkDestroyInstance'


def reporting_wrapper(command):
    kind, name = command.params[0][:2]
    call = f'{symbol(command.name)}({", ".join(p[1] for p in command.params)});'
    returns = command.result != 'void'
    prototype = command.prototype().replace(symbol(command.name) + '(', wrapper_symbol(command.name) + '(', 1)
    lines = [f'static {prototype}', '{',
             '    struct util_log_call call;',
             f'    util_log_call_begin(&call, vc4vk_domain_of_{kind}({name}));',
             f'    {command.result + " result = " if returns else ""}{call}',
             '    util_log_call_end(&call);']
    return '\n'.join(lines + ['    return result;'] * returns + ['}', ''])


def wrapper_symbol(name):
    return 'reporting_' + name.removeprefix('vk')


def print_header(commands):
    print('/* Generated by vc4vk_entrypoints_gen.py from vk.xml: every entry point of the driver. */')
    print('#ifndef VC4VK_ENTRYPOINTS_H\n#define VC4VK_ENTRYPOINTS_H\n')
    print('/* As in vulkan.h, VK_USE_PLATFORM_*_KHR enables the declarations of a platform. */')
    print('#include <vulkan/vulkan.h>\n')
    for command in filter(lambda c: c.is_own, commands):
        print(guarded(command, command.prototype() + ';'))
    print('\n#endif')


def print_source(commands, handles):
    print('/* Generated by vc4vk_entrypoints_gen.py from vk.xml: weak stubs for entry points that no module defines,')
    print(' * and the table that vkGet*ProcAddr searches. ORDER: sorted by name. */')
    for guard in sorted(GUARDS.values()):
        built = guard.removeprefix('VK_USE_PLATFORM_').removesuffix('_KHR')
        print(f'#ifdef VC4VK_HAVE_{built}\n#define {guard}\n#endif')
    print('#include "device/vc4vk_entrypoints_gen.h"\n#include "device/vc4vk_dispatch.h"\n')
    for command in filter(lambda c: c.is_own, commands):
        print(guarded(command, weak_stub(command, handles)))
        if has_wrapper(command):
            print(guarded(command, reporting_wrapper(command)))
    print('const struct vc4vk_entrypoint vc4vk_entrypoints[] = {')
    own = {command.name: command for command in commands if command.is_own}
    for command in commands:
        real = own[command.function]
        wrapper = wrapper_symbol(real.name) if has_wrapper(real) else symbol(real.name)
        print(guarded(command, f'    {{"{command.name}", (PFN_vkVoidFunction){symbol(command.function)}, '
                               f'(PFN_vkVoidFunction){wrapper}, '
                               f'VC4VK_LEVEL_{command.level}, {command.gate}}},'))
    print('};\nconst uint32_t vc4vk_entrypoint_count = ARRAY_SIZE(vc4vk_entrypoints);')


def main():
    rows = read_rows(sys.argv[2])
    commands, handles = read_commands(sys.argv[1], rows)
    if sys.argv[3] == 'header':
        print_header(commands)
    elif sys.argv[3] == 'source':
        print_source(commands, handles)
    else:
        sys.exit('header or source?')


main()
