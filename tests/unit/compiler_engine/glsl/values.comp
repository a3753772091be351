#version 450
// Every type that a buffer may contain, accessed by member and as a whole.
layout(local_size_x = 16) in;
struct Item {
    vec3 position;
    uint tag;
    mat2 m;
    int list[3];
};
layout(set = 0, binding = 0, std430) readonly buffer In { Item items[]; } source;
layout(set = 0, binding = 1, std430) buffer Out { Item items[]; } target;
layout(set = 0, binding = 2, std140) uniform Params { vec4 scale; uvec2 offset; } params;
layout(push_constant) uniform Push { uint mirror; float bias; } push;
void main()
{
    uint i = gl_GlobalInvocationID.x;
    Item item = source.items[i];
    item.position = item.position * params.scale.xyz + push.bias;
    item.tag += params.offset.y;
    item.m = item.m * 2.0;
    target.items[push.mirror - i] = item;
    target.items[push.mirror - i].list[i % 3u] = -int(i);
}
