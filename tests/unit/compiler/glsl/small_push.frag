#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Numbers of 8 and 16 bits in push constants, with constant and computed indices.
// push 0x3e00fffe 0x04038201 0x3c000605 0x4248c000 7
// out@0 -2.0 1.5 1.0 2.0
// out@1 -2.0 1.5 -126.0 -1.0
// out@2 -2.0 1.5 3.0 3.140625
// out@3 -2.0 1.5 4.0 7.0
layout(push_constant) uniform P { int16_t s; float16_t h; int8_t list[6]; float16_t halves[3]; uint16_t last; };
layout(location = 0) in vec4 in_lane;
layout(location = 0) out vec4 o;

void main()
{
    int lane = int(in_lane.x);
    o = vec4(s, h, list[lane & 3], 0);
    if (lane < 3)
        o.w = lane == 0 ? float(halves[0]) + 1.0 : float(halves[lane & 3]) + (lane == 1 ? 1.0 : 0.0);
    else
        o.w = last;
}
