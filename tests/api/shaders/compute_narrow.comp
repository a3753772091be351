#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
/* Numbers of 8 and 16 bits in buffers: converted, and copied as they are. */
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer In { float16_t halves[16]; int16_t shorts[16]; uint8_t bytes[16]; i8vec2 pairs[16]; };
layout(std430, binding = 1) buffer Out { float floats[16]; int ints[16]; uint uints[16]; ivec2 wide[16]; };
layout(std430, binding = 2) buffer Back { f16vec2 halves2[16]; uint16_t shorts2[16]; int8_t bytes2[16]; float16_t copies[]; };
layout(std140, binding = 3) uniform Numbers { u8vec4 number; uint16_t more; float16_t factor; };

void main()
{
    uint i = gl_LocalInvocationID.x;
    floats[i] += float(halves[i]) * float(factor);
    ints[i] += int(shorts[i]) + int(more);
    uints[i] += uint(bytes[i]) + uint(number.z);
    wide[i] = ivec2(pairs[i]);
    halves2[i] = f16vec2(vec2(floats[i], -float(i) * 100.0));
    shorts2[i] = uint16_t(uints[i] * 1000u);
    bytes2[i] = int8_t(ints[i]);
    copies[i] = halves[i];
}
