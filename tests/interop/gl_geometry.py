#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# gl_geometry.py OUT.png: an OpenGL 3.2 program with geometry shaders, without a window (EGL, surfaceless). It draws points
# that become quads of triangles, triangles that become outlines, and captures what a third one emits. Writes the picture,
# and prints the OpenGL renderer, the captured floats and the primitives that queries have counted. Exit status 77: there
# is no such OpenGL.
import ctypes, pathlib, struct, sys, zlib

SIZE = 128
VERTEX = '''#version 150
in vec2 position; out vec3 v_color;
void main() { gl_Position = vec4(position, 0.0, 1.0); v_color = vec3(position * 0.5 + 0.5, float(gl_VertexID % 3) / 2.0); }'''
FRAGMENT = '''#version 150
in vec3 g_color; out vec4 color; void main() { color = vec4(g_color * (gl_PrimitiveID % 2 == 0 ? 1.0 : 0.75), 1.0); }'''
QUADS = '''#version 150
layout(points) in; layout(triangle_strip, max_vertices = 4) out;
in vec3 v_color[]; out vec3 g_color; uniform float size;
void main() {
    for (int i = 0; i < 4; i++) {
        gl_Position = gl_in[0].gl_Position + vec4((vec2(i & 1, i >> 1) - 0.5) * size, 0.0, 0.0);
        g_color = v_color[0] * (i == 3 ? 0.5 : 1.0); gl_PrimitiveID = gl_PrimitiveIDIn; EmitVertex();
    }
}'''
OUTLINES = '''#version 150
layout(triangles) in; layout(line_strip, max_vertices = 4) out;
in vec3 v_color[]; out vec3 g_color; uniform float size;
void main() {
    for (int i = 0; i < 4; i++) {
        gl_Position = vec4(gl_in[i % 3].gl_Position.xy * size, 0.0, 1.0);
        g_color = v_color[i % 3]; gl_PrimitiveID = 0; EmitVertex();
    }
}'''
POINTS = [(-0.75, -0.75), (0.5, -0.5), (-0.25, 0.25), (0.75, 0.75), (-0.5, 0.75), (0.0, -0.125)]


class Gl:
    def __init__(self):
        self.egl, self.gl = ctypes.CDLL('libEGL.so.1'), ctypes.CDLL('libGL.so.1')
        self.egl.eglGetProcAddress.restype = ctypes.c_void_p
        for name in ('eglGetPlatformDisplay', 'eglCreateContext'):
            getattr(self.egl, name).restype = ctypes.c_void_p

    def begin(self, major=3, minor=2):
        egl, p = self.egl, ctypes.c_void_p
        display = p(egl.eglGetPlatformDisplay(0x31DD, None, None))  # surfaceless
        if not egl.eglInitialize(display, None, None) or not egl.eglBindAPI(0x30A2):
            return False
        config, count = p(), ctypes.c_int()
        attributes = (ctypes.c_int * 5)(0x3033, 0, 0x3040, 8, 0x3038)  # no surface; OpenGL
        egl.eglChooseConfig(display, attributes, ctypes.byref(config), 1, ctypes.byref(count))
        version = (ctypes.c_int * 5)(0x3098, major, 0x30FB, minor, 0x3038)
        context = egl.eglCreateContext(display, config, None, version)
        return bool(context) and bool(egl.eglMakeCurrent(display, None, None, p(context)))

    def __getattr__(self, name):
        """gl.Xyz: the function glXyz. Python floats are passed as floats."""
        address = self.egl.eglGetProcAddress(('gl' + name).encode())

        def call(*arguments, result=None):
            kinds = [ctypes.c_float if isinstance(a, float) else ctypes.c_void_p if a is None else None for a in arguments]
            kinds = [k or (ctypes.c_ssize_t if isinstance(a, int) else type(a)) for k, a in zip(kinds, arguments)]
            return ctypes.CFUNCTYPE(result, *kinds)(address)(*arguments)
        return call

    def name(self, function):
        name = ctypes.c_uint()
        getattr(self, function)(1, ctypes.pointer(name))
        return name.value


def link(gl, shaders, captured=None):
    """The program of shaders, pairs of a kind and a text, of which an output is captured."""
    made = gl.CreateProgram(result=ctypes.c_uint)
    for kind, text in shaders:
        shader, source = gl.CreateShader(kind, result=ctypes.c_uint), ctypes.c_char_p(text.encode())
        gl.ShaderSource(shader, 1, ctypes.pointer(source), None)
        gl.CompileShader(shader)
        gl.AttachShader(made, shader)
    if captured:
        gl.TransformFeedbackVaryings(made, 1, ctypes.pointer(ctypes.c_char_p(captured)), 0x8C8C)
    gl.LinkProgram(made)
    ok = ctypes.c_int()
    gl.GetProgramiv(made, 0x8B82, ctypes.pointer(ok))
    if not ok.value:
        log = ctypes.create_string_buffer(4096)
        gl.GetProgramInfoLog(made, 4096, None, log)
        sys.exit(log.value.decode())
    gl.UseProgram(made)
    return made


def program(gl, geometry, captured=None):
    return link(gl, ((0x8B31, VERTEX), (0x8DD9, geometry), (0x8B30, FRAGMENT)), captured)


def set_size(gl, made, value):
    gl.Uniform1f(gl.GetUniformLocation(made, ctypes.c_char_p(b'size'), result=ctypes.c_int), value)


def draw(gl):
    """Quads around the points, then outlines of two triangles."""
    gl.ClearColor(0.125, 0.125, 0.125, 1.0)
    gl.Clear(0x4000)
    set_size(gl, program(gl, QUADS), 0.375)
    gl.DrawArrays(0, 0, len(POINTS))
    set_size(gl, program(gl, OUTLINES), 0.86)  # lines between the centres of pixels
    gl.DrawArrays(4, 0, len(POINTS))


def capture(gl):
    """Captures the colours of the quads' triangles, and counts them."""
    set_size(gl, program(gl, QUADS, b'g_color'), 0.25)
    return capture_draw(gl, 0, len(POINTS), 4, 2 * len(POINTS) * 3 * 12)


def capture_draw(gl, mode, vertices, captured_mode, size_B):
    """What a draw captures, and how many primitives it has generated and written."""
    gl.BindBuffer(0x8C8E, gl.name('GenBuffers'))
    gl.BufferData(0x8C8E, size_B, None, 0x88E9)
    buffer = ctypes.c_int()
    gl.GetIntegerv(0x8C8F, ctypes.pointer(buffer))
    gl.BindBufferBase(0x8C8E, 0, buffer.value)
    queries = gl.name('GenQueries'), gl.name('GenQueries')
    kinds = 0x8C87, 0x8C88  # generated, written
    for kind, query in zip(kinds, queries):
        gl.BeginQuery(kind, query)
    gl.Enable(0x8C89)
    gl.BeginTransformFeedback(captured_mode)
    gl.DrawArrays(mode, 0, vertices)
    gl.EndTransformFeedback()
    gl.Disable(0x8C89)
    counts = []
    for kind, query in zip(kinds, queries):
        gl.EndQuery(kind)
        count = ctypes.c_uint()
        gl.GetQueryObjectuiv(query, 0x8866, ctypes.pointer(count))
        counts.append(count.value)
    floats = ctypes.create_string_buffer(size_B)
    gl.GetBufferSubData(0x8C8E, 0, size_B, floats)
    return counts, struct.unpack(f'{size_B // 4}f', floats.raw)


def png(width, height, rgb):
    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    rows = b''.join(b'\0' + rgb[y * width * 3:(y + 1) * width * 3] for y in range(height))
    header = struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0)
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', header) + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b'')


def begin_target(gl, points):
    """A framebuffer, and attribute 0 with the points."""
    gl.BindRenderbuffer(0x8D41, gl.name('GenRenderbuffers'))
    gl.RenderbufferStorage(0x8D41, 0x8058, SIZE, SIZE)
    color = ctypes.c_int()
    gl.GetIntegerv(0x8CA7, ctypes.pointer(color))
    gl.BindFramebuffer(0x8D40, gl.name('GenFramebuffers'))
    gl.FramebufferRenderbuffer(0x8D40, 0x8CE0, 0x8D41, color.value)
    gl.Viewport(0, 0, SIZE, SIZE)
    gl.BindVertexArray(gl.name('GenVertexArrays'))
    gl.BindBuffer(0x8892, gl.name('GenBuffers'))
    data = struct.pack(f'{2 * len(points)}f', *[x for point in points for x in point])
    gl.BufferData(0x8892, len(data), ctypes.c_char_p(data), 0x88E4)
    gl.VertexAttribPointer(0, 2, 0x1406, 0, 0, None)
    gl.EnableVertexAttribArray(0)


def write_picture(gl, path):
    pixels = ctypes.create_string_buffer(SIZE * SIZE * 3)
    gl.PixelStorei(0x0D05, 1)
    gl.ReadPixels(0, 0, SIZE, SIZE, 0x1907, 0x1401, pixels)
    pathlib.Path(path).write_bytes(png(SIZE, SIZE, pixels.raw[:SIZE * SIZE * 3]))


def main():
    gl = Gl()
    if not gl.begin():
        return 77
    print('renderer:', gl.GetString(0x1F01, result=ctypes.c_char_p).decode())
    begin_target(gl, POINTS)
    draw(gl)
    write_picture(gl, sys.argv[1])
    counts, floats = capture(gl)
    print('generated, written:', *counts)
    print('captured:', *(f'{f:.4f}' for f in floats))
    print('error:', gl.GetError(result=ctypes.c_uint))
    return 0


if __name__ == '__main__':
    sys.exit(main())
