#version 450
#extension GL_ARB_shader_viewport_layer_array : require
// Triangles at arbitrary places, each in a layer and a viewport of its own. MODE: bit 0 selects layers, bit 1 viewports,
// bit 2: all vertices have different targets, of which the first one of a primitive counts.
layout(push_constant) uniform P
{
    uint layers, viewports;
    float size;
};
layout(location = 0) flat out vec4 v_color;
uint hash(uint x)
{
    x = x * 747796405u + 2891336453u;
    x = ((x >> ((x >> 28) + 4u)) ^ x) * 277803737u;
    return (x >> 22) ^ x;
}
void main()
{
    uint primitive = uint(gl_VertexIndex) / 3u, corner = hash(uint(gl_VertexIndex) + 7u), shade = hash(primitive + 1000u);
    uint target = hash((MODE & 4) != 0 ? uint(gl_VertexIndex) : primitive);
    vec2 xy = vec2(corner & 0xffu, (corner >> 8) & 0xffu) / 127.5 - 1.0;
    gl_Position = vec4(xy * size, float((shade >> 24) & 0x3fu) / 64.0, 1.0);
    gl_PointSize = 1.0;
    v_color = vec4(shade & 0xffu, (shade >> 8) & 0xffu, (shade >> 16) & 0xffu, 128u) / 255.0;
#if (MODE & 1) != 0
    gl_Layer = int(target % layers);
#endif
#if (MODE & 2) != 0
    gl_ViewportIndex = int((target >> 8) % viewports);
#endif
}
