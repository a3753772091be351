#version 450
// differs because LLVM 15, the compiler of the reference, aborts on inputs of 16 bits
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(location = 0) in f16vec4 position;
layout(location = 1) in i16vec2 offset;
layout(location = 0) out f16vec4 v;
layout(location = 1) flat out u16vec2 u;
void main()
{
    v = position + float16_t(1);
    u = u16vec2(offset + int16_t(3));
    gl_Position = vec4(position) + vec4(vec2(offset), 0, 0) / 1024.0;
}
