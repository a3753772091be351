#version 450
#extension GL_EXT_spirv_intrinsics : require
spirv_instruction(set = "GLSL.std.450", id = 79) float n_min(float x, float y);
spirv_instruction(set = "GLSL.std.450", id = 80) float n_max(float x, float y);
spirv_instruction(set = "GLSL.std.450", id = 81) float n_clamp(float x, float low, float high);
spirv_instruction(id = 140) float remainder_of(float x, float y);
layout(location = 0) in vec4 x;
layout(location = 1) in vec4 y;
layout(location = 2) in vec4 z;
layout(location = 0) out vec4 color;
void main()
{
    color = vec4(n_min(x.x, y.x), n_max(x.y, y.y), n_clamp(x.z, min(y.z, z.z), max(y.z, z.z)), remainder_of(x.w, y.w));
}
