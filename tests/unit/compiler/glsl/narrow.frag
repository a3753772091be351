#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
// Halves 1.5, -2, the least denormal and infinity; shorts -3 and 65530; bytes -1, 2, 0x80 and 255, also with a computed index.
// push 3
// buffer 0xc0003e00 0x7c000001 0xfffafffd 0xff8002ff
// out@0 1.5 -2.0 1.0 1.0
// out@1 -3.0 65530.0 -1.0 255.0
// out@2 -1.0 2.0 -128.0 255.0
// out@3 -3.0 1.5 -2.0 1.0
layout(set = 0, binding = 0, std430) readonly buffer B { f16vec2 h; float16_t tiny, inf; int16_t s; uint16_t u; int8_t b[4]; };
layout(set = 0, binding = 1, std430) readonly buffer C { float16_t halves[4]; int16_t shorts[2]; uint8_t bytes[4]; };
layout(push_constant) uniform P { int last; };
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    int lane = int(v.x);
    if (lane == 0)
        o = vec4(vec2(h), float(tiny) * 16777216.0, float(float(inf) > 3e38));
    else if (lane == 1)
        o = vec4(float(int(s)), float(uint(u)), float(int(b[0])), float(uint(bytes[last])));
    else if (lane == 2)
        o = vec4(int(b[0]), int(b[1]), int(b[2]), uint(bytes[3]));
    else
        o = vec4(int(shorts[last - 3]), float(halves[last - 3]), float(halves[last - 2]), 1.0);
}
