#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
// Functions of values whose results are halves, so that nothing depends on the last bits of the approximations.
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    f16vec4 h = f16vec4(v) + float16_t(0.25);
    f16vec4 a = sqrt(h * h) * exp2(-f16vec4(v.yyzw)) + inversesqrt(f16vec4(v.zzzz) * float16_t(4));
    f16vec4 b = smoothstep(f16vec4(-2), f16vec4(2), f16vec4(v)) - fract(h) * step(f16vec4(0.5), h);
    f16vec4 c = mix(a, b, lessThan(a, b)) + floor(h) - float16_t(dFdx(v.x));
    if (any(isnan(c)))
        c = f16vec4(3);
    o = vec4(reflect(c.xyz, f16vec3(0, 1, 0)), length(f16vec2(3, 4) * h.w));
}
