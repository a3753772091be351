#version 450
// Triangles at arbitrary places and depths, some of which are beyond the near and the far plane.
layout(push_constant) uniform P { uint converts; }; // depths from -w to w become depths from 0 to w
layout(location = 0) flat out vec4 v_color;
uint hash(uint x)
{
    x = x * 747796405u + 2891336453u;
    x = ((x >> ((x >> 28) + 4u)) ^ x) * 277803737u;
    return (x >> 22) ^ x;
}
void main()
{
    uint corner = hash(uint(gl_VertexIndex) + 7u), shade = hash(uint(gl_VertexIndex) / 3u + 1000u);
    vec2 xy = vec2(corner & 0xffu, (corner >> 8) & 0xffu) / 127.5 - 1.0;
    float z = float((corner >> 16) & 0xffu) / 85.0 - 1.5, w = 0.5 + float(corner >> 24) / 170.0;
    gl_Position = vec4(xy, converts != 0 ? z * 0.5 + 0.5 : z, 1.0) * w;
    gl_PointSize = 1.0;
    v_color = vec4(shade & 0xffu, (shade >> 8) & 0xffu, (shade >> 16) & 0xffu, 255u) / 255.0;
}
