#version 450
// Infinities, and differences that are flushed to zero.
// push 0x7f800000 0x00800000 0x00800001 0x7f7fffff 0xff800000
// out 15.0 7.0 2.3561945 1.0
precision highp float; precision highp int;
layout(push_constant) uniform P { float inf, tiny, next, huge, minus_inf; };
layout(location = 0) out vec4 o;
void main()
{
    o.x = float(tiny < next) + 2.0 * float(!(next <= tiny)) + 4.0 * float(!(inf < inf)) + 8.0 * step(inf, inf);
    mediump float m = round(minus_inf);
    o.y = float(log2(inf) > huge) + 2.0 * float(pow(inf, 0.75) > huge) + 4.0 * float(m < -16376.0);
    o.z = atan(inf, minus_inf);
    o.w = mod(huge, huge) + float(abs(atan(huge, huge) - 0.7853982) < 1e-3);
}
