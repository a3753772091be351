#version 450
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(id = 116) float to_half(float x);
spirv_instruction(id = 139) int modulo(int x, int y);
layout(location = 0) in vec4 x;
layout(location = 1) flat in ivec4 y;
layout(location = 2) flat in ivec4 z;
layout(location = 0) out vec4 color;
void main()
{
    color.x = to_half(x.x);
    color.y = intBitsToFloat(modulo(y.y, z.y));
    color.z = isnan(x.z) ? 1.0 : 0.0;
    color.w = isinf(x.w) ? 1.0 : 0.0;
}
