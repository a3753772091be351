#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# gl_tessellation.py OUT.png: an OpenGL 4.5 program with tessellation shaders, without a window (EGL, surfaceless). It
# draws quads whose control shader reads what other invocations have written, triangles with the levels of the API,
# and isolines behind which a geometry shader makes points. It captures the places at which quads are divided. Writes the
# picture, and prints the OpenGL renderer and version, limits, the captured places in order, and what queries have counted.
# Exit status 77: there is no such OpenGL.
import ctypes, sys
from gl_geometry import Gl, begin_target, capture_draw, link, write_picture

VERTEX = '''#version 450
layout(location = 0) in vec2 position; layout(location = 0) out vec3 v_color;
void main() { gl_Position = vec4(position, 0.0, 1.0); v_color = vec3(position * 0.5 + 0.5, float(gl_VertexID % 3) / 2.0); }'''
FRAGMENT = '''#version 450
layout(location = 0) in vec3 e_color; layout(location = 0) out vec4 color;
void main() { color = vec4(e_color, 1.0); }'''
CONTROL = '''#version 450
layout(vertices = 4) out;
layout(location = 0) in vec3 v_color[]; layout(location = 0) out vec3 c_color[];
layout(location = 4) patch out dvec2 p_shift[2];
layout(location = 0) uniform vec4 levels;
void main() {
    int next = (gl_InvocationID + 1) % 4;
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    c_color[gl_InvocationID] = v_color[gl_InvocationID];
    barrier();
    float length_px = 64.0 * distance(gl_out[gl_InvocationID].gl_Position.xy, gl_out[next].gl_Position.xy);
    gl_TessLevelOuter[gl_InvocationID] = min(levels[gl_InvocationID], length_px);
    if (gl_InvocationID < 2) {
        gl_TessLevelInner[gl_InvocationID] = levels[gl_InvocationID + 2];
        p_shift[gl_InvocationID] = dvec2(c_color[next].xy) / 64.0lf;
    }
}'''
QUADS = '''#version 450
layout(quads, MODES) in;
layout(location = 0) in vec3 c_color[]; layout(location = 0) out vec3 e_color;
layout(location = 4) patch in dvec2 p_shift[2];
layout(location = 8) out vec3 e_place;
void main() {
    vec2 at = gl_TessCoord.xy;
    gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, at.x),
                      mix(gl_in[3].gl_Position, gl_in[2].gl_Position, at.x), at.y);
    gl_Position.xy += vec2(p_shift[gl_PrimitiveID & 1]);
    e_color = mix(c_color[0], c_color[2], at.x) + vec3(0.0, 0.0, 0.25 * float(gl_PrimitiveID & 1));
    e_place = vec3(at, float(gl_PrimitiveID));
}'''
TRIANGLES = '''#version 450
layout(triangles, fractional_odd_spacing, ccw) in;
layout(location = 0) in vec3 v_color[]; layout(location = 0) out vec3 e_color;
void main() {
    vec3 at = gl_TessCoord;
    gl_Position = at.x * gl_in[0].gl_Position + at.y * gl_in[1].gl_Position + at.z * gl_in[2].gl_Position;
    gl_Position.xy *= 0.75;
    e_color = at.x * v_color[0] + at.y * v_color[1] + at.z * v_color[2];
}'''
POINTS_OF_LINES = '''#version 450
layout(lines) in; layout(points, max_vertices = 1) out;
layout(location = 0) in vec3 lines[]; layout(location = 0) out vec3 e_color;
void main() {
    gl_Position = 0.5 * (gl_in[0].gl_Position + gl_in[1].gl_Position);
    gl_PointSize = 3.0; e_color = 1.0 - lines[0]; EmitVertex();
}'''
LINES = QUADS.replace('quads', 'isolines').replace('MODES', 'equal_spacing')
# Patches of four vertices, in the order of a quad's corners.
POINTS = [(x + dx, y + dy) for y in (-0.9, -0.1) for x in (-0.9, -0.2) for dx, dy in ((0, 0), (0.6, 0), (0.6, 0.7), (0, 0.6))]
VERTEX_STAGE, CONTROL_STAGE, EVALUATION_STAGE, GEOMETRY_STAGE, FRAGMENT_STAGE = 0x8B31, 0x8E88, 0x8E87, 0x8DD9, 0x8B30
PATCHES = 0xE


def use(gl, evaluation, control=None, geometry=None, captured=None):
    stages = [(VERTEX_STAGE, VERTEX), (EVALUATION_STAGE, evaluation), (FRAGMENT_STAGE, FRAGMENT)]
    stages += [(CONTROL_STAGE, control)] if control else []
    stages += [(GEOMETRY_STAGE, geometry)] if geometry else []
    link(gl, stages, captured)
    if control:
        gl.Uniform4f(0, 3.0, 2.0, 4.5, 5.0)


def draw(gl):
    gl.ClearColor(0.125, 0.125, 0.125, 1.0)
    gl.Clear(0x4000)
    gl.PatchParameteri(0x8E72, 4)
    use(gl, QUADS.replace('MODES', 'fractional_even_spacing, ccw'), CONTROL)
    gl.DrawArrays(PATCHES, 0, len(POINTS))
    gl.PatchParameteri(0x8E72, 3)
    gl.PatchParameterfv(0x8E74, (ctypes.c_float * 4)(1.0, 3.0, 2.5, 1.0))
    gl.PatchParameterfv(0x8E73, (ctypes.c_float * 2)(3.0, 1.0))
    use(gl, TRIANGLES)
    gl.DrawArrays(PATCHES, 0, 9)
    gl.PatchParameteri(0x8E72, 4)
    gl.Enable(0x8642)  # the program says how large points are
    use(gl, LINES, CONTROL, POINTS_OF_LINES)
    gl.DrawArrays(PATCHES, 0, len(POINTS))


def main():
    gl = Gl()
    if not gl.begin(4, 5):
        return 77
    print('renderer:', gl.GetString(0x1F01, result=ctypes.c_char_p).decode())
    version = [ctypes.c_int(), ctypes.c_int()]
    for number, name in zip(version, (0x821B, 0x821C)):
        gl.GetIntegerv(name, ctypes.pointer(number))
    print(f'version: {version[0].value}.{version[1].value}')
    for name, limit in (('level', 0x8E7E), ('vertices of a patch', 0x8E7D)):
        value = ctypes.c_int()
        gl.GetIntegerv(limit, ctypes.pointer(value))
        print(f'{name}: {value.value}')
    begin_target(gl, POINTS)
    draw(gl)
    write_picture(gl, sys.argv[1])
    use(gl, QUADS.replace('MODES', 'equal_spacing, point_mode'), CONTROL, captured=b'e_place')
    size_B = 12 * 4 * 100
    counts, floats = capture_draw(gl, PATCHES, len(POINTS), 0, size_B)
    print('generated, written:', *counts)
    places = sorted(tuple(round(x, 3) for x in floats[i:i + 3]) for i in range(0, 3 * counts[1], 3))
    print('captured:', *places)
    print('error:', gl.GetError(result=ctypes.c_uint))
    return 0


if __name__ == '__main__':
    sys.exit(main())
