// SPDX-License-Identifier: MIT
// Vertices of patches that have the shape of small quads, eight side by side, without buffers: of a patch of four
// vertices these are the corners. Outputs are of all kinds.
#version 450
#ifdef DISTANCES
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[3]; };
#endif
layout(location = 0) out vec4 v_color;
layout(location = 1, component = 1) out vec2 v_pair;
layout(location = 2) out dvec2 v_double;
layout(location = 3) flat out ivec2 v_ids;
void main()
{
    int corner = gl_VertexIndex & 3, patch_number = gl_VertexIndex >> 2;
    vec2 at = vec2(patch_number & 7, patch_number >> 3) + vec2(0.1, 0.15) + vec2(0.75, 0.7) * vec2(corner & 1, corner >> 1);
    gl_Position = vec4(at / vec2(4.0, 2.0) - vec2(1.0, 0.9), 0.5, 1.0);
    gl_Position.y += 0.2 * float(gl_InstanceIndex);
    gl_PointSize = 1.0;
#ifdef DISTANCES
    for (int i = 0; i < 3; i++)
        gl_ClipDistance[i] = float(gl_VertexIndex + i + 1);
#endif
    v_color = vec4(float(gl_VertexIndex % 5) / 4.0, float(gl_VertexIndex % 3) / 2.0, 0.25, 1.0);
    v_pair = vec2(gl_VertexIndex, 0.5 * float(gl_VertexIndex));
    v_double = dvec2(double(gl_VertexIndex) + 1.0 / 3.0lf, -1.0lf / double(gl_VertexIndex + 1));
    v_ids = ivec2(gl_VertexIndex, gl_InstanceIndex);
}
