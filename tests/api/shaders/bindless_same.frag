#version 450
#extension GL_EXT_nonuniform_qualifier : require
// Lookups whose level of detail follows from derivatives, through an ordinary descriptor and through one in an array.
layout(set = 0, binding = 0) uniform SAMPLER plain;
layout(set = 1, binding = 0) uniform SAMPLER array[];
layout(set = 2, binding = 0) buffer In { vec4 at[64]; };
layout(set = 2, binding = 1) buffer Out { vec4 result[2][64][8]; };
layout(push_constant) uniform Push { uint element; };
layout(location = 0) out vec4 color;

#ifdef CUBE
#define ALL(s, which)                                                                                                  \
    result[which][i][0] = texture(s, v);                                                                               \
    result[which][i][1] = texture(s, v * 3.0, 0.7);                                                                    \
    result[which][i][2] = vec4(textureQueryLod(s, v), 0.0, 0.0);
#else
#define ALL(s, which)                                                                                                  \
    result[which][i][0] = texture(s, v.xy);                                                                            \
    result[which][i][1] = texture(s, v.xy * 2.0, 0.7);                                                                 \
    result[which][i][2] = vec4(textureQueryLod(s, v.xy), 0.0, 0.0);                                                    \
    result[which][i][3] = textureProj(s, vec3(v.xy, 1.5));                                                             \
    result[which][i][4] = textureOffset(s, v.xy, ivec2(2, -1));                                                        \
    result[which][i][5] = textureGatherOffsets(s, v.xy, ivec2[4](ivec2(0, 1), ivec2(2, -3), ivec2(-1, 0), ivec2(1)));  \
    result[which][i][6] = textureProjLod(s, vec4(v.xy, 0.0, 0.75), 1.2);                                               \
    result[which][i][7] = textureGrad(s, v.xy, v.yx * 0.1, v.zx * 0.05);
#endif

void main()
{
    const uint x = uint(gl_FragCoord.x), y = uint(gl_FragCoord.y), i = 8 * y + x;
    const vec3 v = vec3(gl_FragCoord.x * 0.11 + gl_FragCoord.y * 0.02, gl_FragCoord.y * 0.17 - 0.3, 0.9) + at[0].xyz * 0.1;
    ALL(plain, 0)
    ALL(array[nonuniformEXT(element)], 1)
    color = vec4(1.0);
}
