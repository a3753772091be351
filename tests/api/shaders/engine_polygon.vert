#version 450
// A zigzag whose corners count themselves.
layout(set = 0, binding = 0) buffer Counts {
    uint all, second;
    uint vertices[4096];
};
layout(location = 0) flat out vec4 v_flat;
layout(location = 1) out vec4 v_smooth;
void main()
{
    atomicAdd(vertices[gl_VertexIndex], 1u);
    all = 1;
    int i = gl_VertexIndex;
    vec2 at = vec2(4.5 + 5 * i, i % 2 == 1 ? 50.5 - i : 10.5 + 2 * (i % 5));
    gl_Position = vec4(at / 32 - 1, 0.5, 1);
    gl_PointSize = 3;
    v_flat = v_smooth = vec4(float(i + 1) / 16, float(i * 7 % 12) / 12, 0, 1);
}
