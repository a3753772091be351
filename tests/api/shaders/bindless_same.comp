#version 450
#extension GL_EXT_nonuniform_qualifier : require
// The same lookups of an image through an ordinary descriptor and through one in an array.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) uniform SAMPLER plain;
layout(set = 1, binding = 0) uniform SAMPLER array[];
layout(set = 2, binding = 0) buffer In { vec4 at[64]; };
layout(set = 2, binding = 1) buffer Out { VEC4 result[2][64][8]; };
layout(push_constant) uniform Push { uint element; };

#define ALL(s, which)                                                                                                  \
    result[which][i][0] = VEC4(LOD(s, c, 0.0));                                                                        \
    result[which][i][1] = VEC4(LOD(s, c, c.z * 3.0));                                                                  \
    result[which][i][2] = VEC4(GRAD(s, c));                                                                            \
    result[which][i][3] = VEC4(GATHER(s, c));                                                                          \
    result[which][i][4] = VEC4(FETCH(s, ivec3(abs(c.xyz) * 1.4)));                                                     \
    result[which][i][5] = VEC4(SIZE(s), 0, 0, 0);                                                                      \
    result[which][i][6] = VEC4(OFFSET(s, c));                                                                          \
    result[which][i][7] = VEC4(textureQueryLevels(s));

#define LAST(s) (textureQueryLevels(s) - 1)

#if defined(CUBE)
#define LOD(s, c, l) textureLod(s, c.xyz - 0.5, l)
#define GRAD(s, c) textureGrad(s, c.xyz - 0.5, c.yzx * 0.1, c.zxy * 0.05)
#define GATHER(s, c) textureGather(s, c.xyz - 0.5, 1)
#define FETCH(s, c) 0
#define SIZE(s) textureSize(s, 1).x
#define OFFSET(s, c) 0
#elif defined(CUBES)
#define LOD(s, c, l) textureLod(s, c - vec4(0.5, 0.5, 0.5, 0.0), l)
#define GRAD(s, c) textureGrad(s, c - vec4(0.5, 0.5, 0.5, 0.0), c.yzx * 0.1, c.zxy * 0.05)
#define GATHER(s, c) textureGather(s, c - vec4(0.5, 0.5, 0.5, 0.0), 1)
#define FETCH(s, c) 0
#define SIZE(s) textureSize(s, 1).z
#define OFFSET(s, c) 0
#elif defined(LINE)
#define LOD(s, c, l) textureLod(s, c.x, l)
#define GRAD(s, c) textureGrad(s, c.x, c.y * 0.1, c.z * 0.05)
#define GATHER(s, c) 0
#define FETCH(s, c) texelFetch(s, c.x, min(c.z, LAST(s)))
#define SIZE(s) textureSize(s, 1)
#define OFFSET(s, c) textureLodOffset(s, c.x, 0.0, 1)
#elif defined(VOLUME)
#define LOD(s, c, l) textureLod(s, c.xyz, l)
#define GRAD(s, c) textureGrad(s, c.xyz, c.yzx * 0.1, c.zxy * 0.05)
#define GATHER(s, c) 0
#define FETCH(s, c) texelFetch(s, c, 0)
#define SIZE(s) textureSize(s, 1).z
#define OFFSET(s, c) textureLodOffset(s, c.xyz, 0.0, ivec3(1, -2, 1))
#elif defined(ARRAY)
#define LOD(s, c, l) textureLod(s, c.xyw, l)
#define GRAD(s, c) textureGrad(s, c.xyw, c.yx * 0.1, c.zx * 0.05)
#define GATHER(s, c) textureGather(s, c.xyw, 1)
#define FETCH(s, c) texelFetch(s, c, LAST(s))
#define SIZE(s) textureSize(s, 1).z
#define OFFSET(s, c) textureLodOffset(s, c.xyw, 0.0, ivec2(1, -2))
#elif defined(SHADOW)
#define LOD(s, c, l) textureLod(s, c.xyz, l)
#define GRAD(s, c) textureGrad(s, c.xyz, c.yx * 0.1, c.zx * 0.05)
#define GATHER(s, c) textureGather(s, c.xy, c.z)
#define FETCH(s, c) 0
#define SIZE(s) textureSize(s, 0).x
#define OFFSET(s, c) textureLodOffset(s, c.xyz, 0.0, ivec2(1, -2))
#else
#define LOD(s, c, l) textureLod(s, c.xy, l)
#define GRAD(s, c) textureGrad(s, c.xy, c.yx * 0.1, c.zx * 0.05)
#define GATHER(s, c) textureGather(s, c.xy, 1)
#define FETCH(s, c) texelFetch(s, c.xy, min(c.z, LAST(s)))
#define SIZE(s) textureSize(s, 1).x
#define OFFSET(s, c) textureLodOffset(s, c.xy, 0.0, ivec2(1, -2))
#endif

void main()
{
    const uint i = gl_GlobalInvocationID.x;
    const vec4 c = at[i];
    ALL(plain, 0)
    ALL(array[nonuniformEXT(element)], 1)
}
