#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_shader_image_int64 : require
layout(local_size_x = 16) in;
layout(binding = 0, r64ui) uniform u64image2D words;
layout(binding = 1, r64i) uniform i64imageBuffer list;
void main()
{
    int i = int(gl_LocalInvocationID.x);
    uint64_t old = imageAtomicAdd(words, ivec2(i & 3, 0), uint64_t(i) << 40);
    imageStore(words, ivec2(i, 1), u64vec4(old + imageLoad(words, ivec2(i, 2)).x));
    imageAtomicCompSwap(list, i, 3l, int64_t(old));
}
