#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# gl_state.py OUT.png: an OpenGL 4.5 program, without a window (EGL, surfaceless), that draws everything with one pair of
# shaders and changes state between draws, as zink then does by dynamic state: blending and its equations, masks of colours
# and samples, logic operations, coverage by alpha, polygons as lines, culling, depth and stencil tests, and topologies. Each
# state has a cell of its own, drawn to twice. Writes the picture, and prints the OpenGL renderer and the colours of all
# cells' centres. Exit status 77: there is no such OpenGL.
import ctypes, sys
from gl_geometry import SIZE, Gl, begin_target, link, write_picture

VERTEX = '''#version 450
layout(location = 0) in vec2 position; layout(location = 0) uniform float depth;
void main() { gl_Position = vec4(position, depth, 1.0); }'''
FRAGMENT = '''#version 450
layout(location = 1) uniform vec4 shade; layout(location = 0) out vec4 color;
void main() { color = shade; }'''
CORNERS = [(-0.9, -0.8), (0.8, -0.9), (-0.7, 0.9), (0.9, 0.7)]
CELLS = 6
CELL = SIZE // CELLS
TRIANGLES, STRIP, LINE_LOOP = 4, 5, 2
BLEND, CULL, DEPTH, STENCIL, LOGIC, COVERAGE, SAMPLE_MASK = 0x0BE2, 0x0B44, 0x0B71, 0x0B90, 0x0BF2, 0x809E, 0x8E51
SWITCHES = BLEND, CULL, DEPTH, STENCIL, LOGIC, COVERAGE, SAMPLE_MASK


def plain(gl):
    """The state in which each cell begins."""
    for switch in SWITCHES:
        gl.Disable(switch)
    gl.BlendFuncSeparate(1, 0, 1, 0)
    gl.BlendEquationSeparate(0x8006, 0x8006)
    gl.ColorMask(1, 1, 1, 1)
    gl.DepthMask(1)
    gl.DepthFunc(0x0203)
    gl.StencilMask(0xff)
    gl.StencilFunc(0x0207, 0, 0xff)
    gl.StencilOp(0x1E00, 0x1E00, 0x1E00)
    gl.FrontFace(0x0901)
    gl.PolygonMode(0x0408, 0x1B02)
    gl.SampleMaski(0, 0xf)


def enable(switch, function=None, *arguments):
    def change(gl):
        gl.Enable(switch)
        if function:
            getattr(gl, function)(*arguments)
    return change


def state(function, *arguments):
    return lambda gl: getattr(gl, function)(*arguments)


# What changes, and for which draws (a topology other than a strip is the second item).
STATES = [
    (state('ColorMask', 1, 1, 1, 1),), (enable(BLEND, 'BlendFuncSeparate', 0x0302, 0x0303, 1, 1),),
    (state('ColorMask', 1, 0, 1, 0),), (enable(BLEND, 'BlendFuncSeparate', 0x0306, 0, 1, 0),),
    (enable(LOGIC, 'LogicOp', 0x1506),), (state('ColorMask', 0, 1, 0, 1),),
    (enable(BLEND, 'BlendFuncSeparate', 1, 1, 1, 1),), (enable(SAMPLE_MASK, 'SampleMaski', 0, 1),),
    (enable(SAMPLE_MASK, 'SampleMaski', 0, 2),), (enable(SAMPLE_MASK, 'SampleMaski', 0, 14),),
    (enable(COVERAGE),), (state('PolygonMode', 0x0408, 0x1B01),),
    (state('PolygonMode', 0x0408, 0x1B00),), (enable(CULL, 'FrontFace', 0x0900),),
    (enable(CULL, 'FrontFace', 0x0901),), (enable(DEPTH, 'DepthFunc', 0x0201),),
    (enable(DEPTH, 'DepthFunc', 0x0204),), (enable(STENCIL, 'StencilOp', 0x1E00, 0x1E00, 0x1E02),),
    (enable(STENCIL, 'StencilFunc', 0x0202, 1, 0xff),), (state('ColorMask', 1, 1, 1, 1), TRIANGLES),
    (state('ColorMask', 1, 1, 1, 1), LINE_LOOP), (enable(BLEND, 'BlendFuncSeparate', 0x0301, 0x0300, 0, 1), LINE_LOOP),
    (enable(LOGIC, 'LogicOp', 0x150A),), (enable(BLEND, 'BlendEquationSeparate', 0x800B, 0x8007),),
    (enable(SAMPLE_MASK, 'SampleMaski', 0, 8),), (state('ColorMask', 1, 1, 1, 1),),
]


def draw(gl):
    gl.ClearColor(0.25, 0.5, 0.75, 0.5)
    gl.Clear(0x4500)  # not all of it has a cell
    gl.Enable(0x0C11)  # scissor
    for number, (change, *topology) in enumerate(STATES):
        x, y = number % CELLS * CELL, number // CELLS * CELL
        plain(gl)
        gl.Viewport(x, y, CELL, CELL)
        gl.Scissor(x, y, CELL, CELL)
        gl.Clear(0x4500)
        change(gl)
        for depth, shade in ((0.25, (1.0, 0.25, 0.0, 0.75)), (-0.25, (0.0, 0.75, 0.5, 0.25))):
            gl.Uniform1f(0, depth)
            gl.Uniform4f(1, *shade)
            gl.DrawArrays(*(topology or [STRIP]), 0, len(CORNERS))


def multisampled(gl):
    """A framebuffer with four samples, depth and stencil."""
    gl.BindFramebuffer(0x8D40, gl.name('GenFramebuffers'))
    for format_, attachment in ((0x8058, 0x8CE0), (0x88F0, 0x821A)):
        gl.BindRenderbuffer(0x8D41, gl.name('GenRenderbuffers'))
        gl.RenderbufferStorageMultisample(0x8D41, 4, format_, SIZE, SIZE)
        name = ctypes.c_int()
        gl.GetIntegerv(0x8CA7, ctypes.pointer(name))
        gl.FramebufferRenderbuffer(0x8D40, attachment, 0x8D41, name.value)
    return gl.CheckFramebufferStatus(0x8D40, result=ctypes.c_uint) == 0x8CD5


def main():
    gl = Gl()
    if not gl.begin(4, 5):
        return 77
    print('renderer:', gl.GetString(0x1F01, result=ctypes.c_char_p).decode())
    begin_target(gl, CORNERS)
    resolved = ctypes.c_int()
    gl.GetIntegerv(0x8CA6, ctypes.pointer(resolved))
    if not multisampled(gl):
        print('no framebuffer with four samples')
        return 1
    link(gl, ((0x8B31, VERTEX), (0x8B30, FRAGMENT)))
    draw(gl)
    gl.Disable(0x0C11)
    gl.BindFramebuffer(0x8CA9, resolved.value)
    gl.BlitFramebuffer(0, 0, SIZE, SIZE, 0, 0, SIZE, SIZE, 0x4000, 0x2600)
    gl.BindFramebuffer(0x8D40, resolved.value)
    write_picture(gl, sys.argv[1])
    pixel = ctypes.create_string_buffer(4)
    for number in range(len(STATES)):
        gl.ReadPixels(number % CELLS * CELL + CELL // 2, number // CELLS * CELL + CELL // 2, 1, 1, 0x1908, 0x1401, pixel)
        print(f'cell {number}:', *(round(c / 4) for c in pixel.raw))  # rounding of the blender is not its subject
    print('error:', gl.GetError(result=ctypes.c_uint))
    return 0


if __name__ == '__main__':
    sys.exit(main())
