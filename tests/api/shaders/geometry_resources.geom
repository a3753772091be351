// SPDX-License-Identifier: MIT
// Reads a uniform buffer at a variable index, a storage buffer, a texture and push constants.
#version 450
layout(points) in;
layout(triangle_strip, max_vertices = 8) out;
layout(set = 0, binding = 0) uniform Offsets { vec4 offsets[4]; };
layout(set = 0, binding = 1) readonly buffer Sizes { float sizes[]; };
layout(set = 0, binding = 2) uniform sampler2D colors;
layout(push_constant) uniform Push { vec2 shift; int squares; };
layout(location = 0) in vec4 v_color[];
layout(location = 0) out vec4 g_color;
layout(location = 1) flat out uint g_bits;
void main()
{
    for (int s = 0; s < squares; s++) {
        float size = sizes[(gl_PrimitiveIDIn + s) % sizes.length()];
        for (int corner = 0; corner < 4; corner++) {
            gl_Position = gl_in[0].gl_Position + offsets[(gl_PrimitiveIDIn + 2 * s) % 4];
            gl_Position.xy += size * vec2(float(corner & 1), float(corner >> 1)) + shift;
            g_color = texture(colors, vec2(0.125 + 0.25 * float(gl_PrimitiveIDIn % 4), 0.25 + 0.5 * float(s)));
            g_bits = uint(gl_PrimitiveIDIn * 9 + s);
            EmitVertex();
        }
        EndPrimitive();
    }
}
