#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0, std430) buffer A { float16_t h[]; };
layout(set = 0, binding = 1, std430) buffer B { u8vec4 b[]; };
shared f16vec2 sums[32];
shared uint8_t bytes[32];
void main()
{
    uint i = gl_LocalInvocationIndex;
    sums[i] = f16vec2(h[i], h[i + 32u]);
    bytes[i] = b[i].x + b[i].w;
    barrier();
    f16vec2 s = sums[31u - i] * sums[i];
    h[i] = s.x - s.y;
    b[i].y = bytes[bytes[i] & uint8_t(31)] / (b[i].z | uint8_t(1));
}
