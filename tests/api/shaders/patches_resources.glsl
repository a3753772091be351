// SPDX-License-Identifier: MIT
// Every stage before the rasteriser reads uniform and storage buffers, a texture, push and specialisation constants.
// STAGE: 0 vertex, 1 control, 2 evaluation, 3 geometry.
#version 450
layout(constant_id = 0) const int SHIFT = 1;
layout(constant_id = 1) const int COUNT = 2;
layout(set = 0, binding = 0) uniform Offsets { vec4 offsets[16]; };
layout(set = 0, binding = 1) readonly buffer Numbers { float numbers[]; };
layout(set = 0, binding = 2) uniform sampler2D colors;
layout(push_constant) uniform Push { vec4 scale; int step; } push;

vec4 number(int id)
{
    vec4 sum = vec4(0.0);
    for (int i = 0; i < COUNT; i++)
        sum += offsets[(id * push.step + i * 5 + STAGE) & 15] * push.scale;
    sum.z = numbers[(id + SHIFT * STAGE) % numbers.length()];
    return sum + 0.05 * textureLod(colors, vec2(0.25 + 0.5 * float(id & 1), 0.25 + 0.5 * float(STAGE & 1)), 0.0);
}

#if STAGE == 0
layout(location = 0) out vec4 v_number;
void main()
{
    int corner = gl_VertexIndex & 3, patch_number = gl_VertexIndex >> 2;
    vec2 at = vec2(patch_number & 7, patch_number >> 3) + vec2(0.1, 0.15) + vec2(0.7) * vec2(corner & 1, corner >> 1);
    gl_Position = vec4(at / vec2(4.0, 2.0) - vec2(1.0, 0.9), 0.5, 1.0);
    v_number = number(gl_VertexIndex);
}
#elif STAGE == 1
layout(vertices = 4) out;
layout(location = 0) in vec4 v_number[];
layout(location = 0) out vec4 c_number[];
void main()
{
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position + vec4(number(gl_PrimitiveID).xy, 0.0, 0.0);
    c_number[gl_InvocationID] = v_number[gl_InvocationID] + number(gl_PrimitiveID + gl_InvocationID);
    gl_TessLevelOuter = float[](2.0, 2.0, 2.0, 2.0);
    gl_TessLevelInner = float[](2.0, 2.0);
}
#elif STAGE == 2
layout(quads, equal_spacing, ccw) in;
layout(location = 0) in vec4 c_number[];
layout(location = 0) out vec4 e_number;
void main()
{
    gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_TessCoord.x),
                      mix(gl_in[2].gl_Position, gl_in[3].gl_Position, gl_TessCoord.x), gl_TessCoord.y);
    e_number = 0.5 * (c_number[gl_PrimitiveID & 3] + number(gl_PrimitiveID));
}
#else
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec4 e_number[];
layout(location = 0) out vec4 g_color;
layout(location = 1) flat out uint g_bits;
void main()
{
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        g_color = 0.2 + 0.5 * e_number[0] + number(i + 7);
        g_bits = uint(128.0 * fract(e_number[0].z));
        EmitVertex();
    }
}
#endif
