#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Floats of 16 bits: rounding, both ends of the range, comparisons.
// push 1.5 2048.0 0.1 60000.0
// out@0 2050.0 2048.0 2052.0 60032.0
// out@1 65504.0 1.0 1.0 6000.0
// out@2 1.0 0.0 1.0 0.0
// out@3 1.0 1.0 1.0 1.0
// out@4 1.0 0.0 0.0 1.0
// out@5 1.0 0.0 1.0 0.0
// out@6 16777216.0 1024.0 1.0 1.0
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) in vec4 in_lane;
layout(location = 0) out vec4 o;

void main()
{
    int lane = int(in_lane.x);
    f16vec4 h = f16vec4(p);
    float16_t x = h.x, large = h.y, tenth = h.z, huge = h.w, zero = x - x;
    float16_t inf = huge + huge, nan = uint16BitsToHalf(uint16_t(0x7e00u) + uint16_t(zero));
    float16_t tiny = uint16BitsToHalf(uint16_t(1) + uint16_t(zero));
    if (lane == 0) /* 2048 + 1.5 lies above a tie, the others on one */
        o = vec4(large + x, large + (x - 0.5hf), large + (x + x), huge + 16.0hf);
    else if (lane == 1)
        o = vec4(huge + 5516.0hf, isinf(huge + 5520.0hf), isinf(-huge - huge), huge * tenth);
    else if (lane == 2)
        o = vec4(x < large, x > large, -large <= x, x == tenth);
    else if (lane == 3)
        o = vec4(zero == -zero, tiny > zero, inf > huge, -inf < -huge);
    else if (lane == 4)
        o = vec4(isnan(nan), isnan(inf), isinf(nan), isinf(-inf));
    else if (lane == 5)
        o = vec4(nan != nan, nan == nan, inf == inf, nan > x);
    else if (lane == 6)
        o = vec4(float(-(-tiny)) * 281474976710656.0, float(max(tiny, 0.0hf)) * 17179869184.0, tiny + 1.0hf, tiny != zero);
    else
        o = vec4(0);
}
