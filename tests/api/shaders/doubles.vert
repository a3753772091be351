// SPDX-License-Identifier: MIT
#version 450
/* A triangle that covers the target. Its 64-bit outputs tell a place of the Mandelbrot set and the distance of pixels. */
layout(location = 0) flat out dvec3 v_place;
layout(location = 2) flat out double v_one;

void main()
{
    const double step = 1.0lf / double(1 << 30) / 16.0lf;
    v_place = dvec3(-1.7485836898lf, 0.0000000013lf, step);
    v_one = double(gl_VertexIndex) / max(double(gl_VertexIndex), 1e-300lf) * 0 + 1;
    gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0.5, 1);
}
