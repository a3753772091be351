#version 450
#extension GL_EXT_spirv_intrinsics : require
// The float controls that 32-bit arithmetic obeys: denormals are flushed (4460), results are rounded to zero (4463).
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4465], 4460, 32);
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4468], 4463, 32);
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) readonly buffer In { vec2 pairs[]; };
layout(set = 0, binding = 1) buffer Out { vec4 results[]; };
layout(set = 0, binding = 2) buffer Moved { vec4 moved[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec2 p = pairs[i];
    precise float sum = p.x + p.y, difference = p.x - p.y, product = p.x * p.y;
    precise float scaled = p.x * 0.75;
    results[i] = vec4(sum, difference, product, scaled);
    moved[i] = vec4(-p.x, abs(p.x), min(p.x, p.y), clamp(p.x, -p.y, abs(p.y)));
}
