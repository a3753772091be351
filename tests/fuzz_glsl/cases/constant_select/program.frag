#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : enable
#extension GL_EXT_shader_8bit_storage : enable
#extension GL_EXT_shader_16bit_storage : enable
#extension GL_EXT_nonuniform_qualifier : enable
#define ZERO float(int(gl_FragCoord.z))
layout(location = 0) smooth in vec2 sm1;
layout(location = 1) flat in uint fl0;
layout(constant_id = 1) const int K1 = 128;
layout(location = 0) out vec4 out0;
void main() {
    uvec3 v14 = (true ? uvec3(0) : uvec3(K1));
    uint h0 = 21177u;
    h0 = h0 * 31u + v14.y;
    out0 = vec4(uvec4(h0) >> uvec4(0u, 8u, 16u, 24u) & 255u) / 255.0;
}
