#version 450
// Adds up words of two inline uniform blocks and of a uniform buffer between them.
layout(set = 0, binding = 0) uniform First { uvec4 first[4]; };
layout(set = 0, binding = 1) uniform Between { uint between; };
layout(set = 0, binding = 2) uniform Second { uint second; };

uint sum_at(int i)
{
    return first[i >> 2][i & 3] + first[3].w * 2 + between + second;
}

#if STAGE == 0
layout(location = 0) out vec4 color;
void main()
{
    color = vec4(float(sum_at(int(gl_FragCoord.x))) / 255.0);
}
#else
layout(local_size_x = 16) in;
layout(set = 0, binding = 3) writeonly buffer O { uint seen[16]; };
void main()
{
    seen[gl_LocalInvocationIndex] = sum_at(int(gl_LocalInvocationIndex));
}
#endif
