#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 16) in;
struct item { float16_t h; int8_t b; uint8_t c; };
layout(set = 0, binding = 0, std430) buffer Out { item items[]; };
layout(set = 0, binding = 1, std430) readonly buffer In { item from[]; };
layout(set = 0, binding = 2, std430) buffer Odd { uint16_t odd[]; };
void main()
{
    uint i = gl_LocalInvocationIndex;
    items[i].h = float16_t(float(from[i].h) * 2.0 + 0.00012);
    items[i].b = int8_t(int(from[i].b) - 1);
    items[i].c = uint8_t(uint(from[i].c) + 1u);
    odd[i] = uint16_t(0xabc00u + i);
}
