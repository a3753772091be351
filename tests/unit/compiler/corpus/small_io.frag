#version 450
// differs because LLVM 15, the compiler of the reference, aborts on inputs of 16 bits
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(location = 0) in f16vec4 v;
layout(location = 1) flat in u16vec2 u;
layout(location = 0) out f16vec4 o;
void main() { o = v * float16_t(0.5) + float16_t(u.x & uint16_t(1)); }
