# SPDX-License-Identifier: MIT
#
# Compiles shaders/storage_image.comp for each storage image format of SPIR-V and for each kind of image, and writes all
# of it into one header with a table of the formats: storage_formats.py COMPILE_SHADERS SHADER HEADER
import os, subprocess, sys, tempfile

compile_shaders, shader, header = sys.argv[1:]

CHANNELS = {'r': ('R', 1), 'rg': ('RG', 2), 'rgba': ('RGBA', 4)}
KINDS = [(8, '', 'UNORM'), (8, '_snorm', 'SNORM'), (8, 'i', 'SINT'), (8, 'ui', 'UINT'),
         (16, '', 'UNORM'), (16, '_snorm', 'SNORM'), (16, 'i', 'SINT'), (16, 'ui', 'UINT'), (16, 'f', 'SFLOAT'),
         (32, 'i', 'SINT'), (32, 'ui', 'UINT'), (32, 'f', 'SFLOAT')]
IMAGES = {'line': ('1D', 'LINE'), 'lines': ('1DArray', 'FLAT'), 'flat': ('2D', 'FLAT'), 'layers': ('2DArray', 'DEEP'),
          'volume': ('3D', 'DEEP'), 'cube': ('Cube', 'CUBE'), 'cubes': ('CubeArray', 'CUBES'), 'buffer': ('Buffer', 'LINE')}


# Shaders without a format: prefix of the image type -> suffix of its shader's name, which prefix_of() maps back.
ANY = {'': 'f', 'i': 'i', 'u': 'ui'}


def formats():
    for bits, suffix, kind in KINDS:
        for name, (letters, count) in CHANNELS.items():
            yield f'{name}{bits}{suffix}', ''.join(f'{l}{bits}' for l in 'RGBA'[:count]) + '_' + kind, bits * count // 8
    yield 'rgb10_a2', 'A2B10G10R10_UNORM_PACK32', 4
    yield 'rgb10_a2ui', 'A2B10G10R10_UINT_PACK32', 4
    yield 'r11f_g11f_b10f', 'B10G11R11_UFLOAT_PACK32', 4


def prefix_of(glsl):
    return 'u' if glsl.endswith('ui') else 'i' if glsl.endswith('i') else ''


def job(array, glsl, image, has_format=True):
    """An array of a shader's words, and the options for it."""
    prefix = prefix_of(glsl)
    dim, place = IMAGES[image]
    options = [f'-DIMAGE={prefix}image{dim}', f'-DTEXEL={prefix}vec4', f'-D{place}']
    return array, options + ([f'-DFORMAT={glsl}'] if has_format else [])


def jobs():
    for glsl, _, _ in formats():
        yield job('storage_format_' + glsl, glsl, 'flat')
    for image in IMAGES:
        for glsl in ('r32ui', 'rgba16'):
            yield job(f'storage_{image}_{glsl}', glsl, image)
    for glsl in ANY.values():
        yield job(f'storage_any_{glsl}', glsl, 'flat', False)
        yield job(f'storage_any_buffer_{glsl}', glsl, 'buffer', False)


def arrays():
    with tempfile.TemporaryDirectory() as folder:
        outputs, args = [], []
        for array, options in jobs():
            outputs.append(os.path.join(folder, array))
            args += [*options, '--vn', array, shader, '-o', outputs[-1]]
        subprocess.run([compile_shaders, *args], check=True)
        for output in outputs:
            with open(output) as f:
                yield f.read().replace('#pragma once', '').replace('const uint32_t', 'static const uint32_t')


with open(header, 'w') as h:
    h.write('/* Made by storage_formats.py. */\n')
    h.writelines(arrays())
    h.write('struct storage_format {\n    const char *name;\n    VkFormat format;\n    uint32_t texel_B;\n'
            '    bool is_float32;\n    struct vkt_shader shader, any, any_buffer;\n};\n')
    h.write('#define S(words) {(words), sizeof(words)}\nstatic const struct storage_format storage_formats[] = {\n')
    for glsl, vk, texel_B in formats():
        h.write(f'    {{"{glsl}", VK_FORMAT_{vk}, {texel_B}, {int(glsl.endswith("32f"))}, '
                f'S(storage_format_{glsl}), S(storage_any_{ANY[prefix_of(glsl)]}), '
                f'S(storage_any_buffer_{ANY[prefix_of(glsl)]})}},\n')
    h.write('};\n')
