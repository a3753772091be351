#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Floats of 16 bits: conversions, matrices, bits, arrays.
// push 1.5 2048.0 0.1 60000.0
// out@0 60000.0 2048.0 1.0 2048.0
// out@1 11.0 5.0 0.5 2.0
// out@2 0x68003e00 -16896.0 -2.0 1.0
// out@3 0.0999755859375 2048.0 -1.5 1.5
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) in vec4 in_lane;
layout(location = 0) out vec4 o;

void main()
{
    int lane = int(in_lane.x);
    f16vec4 h = f16vec4(p);
    float16_t x = h.x, large = h.y, tenth = h.z, zero = x - x;
    f16mat2 m = f16mat2(x, 0.5hf, 2.0hf, x - 0.5hf);
    if (lane == 0)
        o = vec4(int(h.w), uint(large), isinf(float16_t(int(p.w) + 10000)), float16_t(int(p.y) + 1));
    else if (lane == 1)
        o = vec4(m * f16vec2(x + 0.5hf, 4.0hf), determinant(m), transpose(m)[0].y);
    else if (lane == 2)
        o = vec4(uintBitsToFloat(packFloat2x16(h.xy)), halfBitsToInt16(-x), unpackFloat2x16(0x3c00c000u + uint(zero)));
    else if (lane == 3) {
        float16_t list[3] = float16_t[3](x, large, tenth);
        list[1] = lane == 3 ? list[1] : zero;
        o = vec4(mix(x, tenth, lane == 3), list[lane - 2], -x, abs(-x));
    } else
        o = vec4(0);
}
