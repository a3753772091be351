#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Floats of 16 bits: functions, which round once.
// push 1.5 2048.0 0.1 60000.0
// out@0 0.5 1.0 -2.0 2.0
// out@1 1.5 -1.0 45.25 1.5
// out@2 4.5 5.0 1025.0 1.0
// out@3 2.828125 11.0 2.25 0.5
// out@4 0.5 12.0 12.0 1.5
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) in vec4 in_lane;
layout(location = 0) out vec4 o;

void main()
{
    int lane = int(in_lane.x);
    f16vec4 h = f16vec4(p);
    float16_t x = h.x, large = h.y, tenth = h.z;
    if (lane == 0)
        o = vec4(fract(x), floor(x), -ceil(x), roundEven(x));
    else if (lane == 1)
        o = vec4(max(x, tenth), sign(-tenth), sqrt(large), clamp(large, tenth, x));
    else if (lane == 2)
        o = vec4(dot(h.xx, h.xx), length(f16vec2(x + x, 4.0hf)), mix(x, large, 0.5hf), step(tenth, x));
    else if (lane == 3)
        o = vec4(exp2(x), log2(large), pow(x, 2.0hf), inversesqrt(x + 2.5hf));
    else if (lane == 4) {
        int exponent;
        float16_t whole, fraction = frexp(large, exponent), rest = modf(x, whole);
        o = vec4(rest, exponent, ldexp(x, 3), fraction + whole);
    } else
        o = vec4(0);
}
