#version 450
#extension GL_EXT_spirv_intrinsics : require
// RoundingModeRTE (4462) of 32-bit arithmetic, and of conversions of integers.
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 32);
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) readonly buffer In { vec2 pairs[]; };
layout(set = 0, binding = 1) buffer Out { vec4 results[]; };
layout(set = 0, binding = 2) buffer More { vec4 more[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec2 p = pairs[i];
    precise float sum = p.x + p.y, difference = p.x - p.y, product = p.x * p.y, both = fma(p.x, p.y, p.x);
    precise float turned = dot(p, p.yx), scaled = (p * 0.3).x;
    results[i] = vec4(sum, difference, product, both);
    more[i] = vec4(float(floatBitsToInt(p.x)), float(floatBitsToUint(p.x)), turned, scaled);
}
