#version 450
// Counts the fragments of every pixel.
layout(location = 0) flat in vec4 v_color;
layout(location = 0) out vec4 o_color;
layout(set = 0, binding = 0) buffer Counts { uint counts[]; };
void main()
{
    atomicAdd(counts[uint(gl_FragCoord.y) * 64u + uint(gl_FragCoord.x)], 1u);
    o_color = v_color;
}
