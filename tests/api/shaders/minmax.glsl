#version 450
/* SPDX-License-Identifier: MIT
 *
 * Filters with a sampler that takes the least or the greatest texel, and beside them the same computed from single
 * texels. STAGE 0: a fragment shader whose red is 1 where both are equal. 1: a compute shader that stores both. */
layout(set = 0, binding = 0) uniform sampler2D image;
layout(push_constant) uniform Push { uint is_max, levels; };
#if STAGE == 1
layout(local_size_x = 16) in;
layout(set = 1, binding = 0, std430) writeonly buffer Out { vec4 results[]; };
#else
layout(location = 0) out vec4 o_color;
#endif

vec4 best(vec4 x, vec4 y)
{
    return is_max != 0 ? max(x, y) : min(x, y);
}

vec4 of_level(vec2 uv, int level)
{
    ivec2 size = textureSize(image, level);
    vec2 at = uv * vec2(size) - 0.5, first = floor(at), weight = at - first;
    ivec2 i = ivec2(first), last = size - 1, a = clamp(i, ivec2(0), last), b = clamp(i + 1, ivec2(0), last);
    vec4 result = texelFetch(image, a, level);
    if (weight.x > 0)
        result = best(result, texelFetch(image, ivec2(b.x, a.y), level));
    if (weight.y > 0)
        result = best(result, texelFetch(image, ivec2(a.x, b.y), level));
    if (weight.x > 0 && weight.y > 0)
        result = best(result, texelFetch(image, b, level));
    return result;
}

vec4 expected(vec2 uv, float lod)
{
    int level = int(lod);
    vec4 result = of_level(uv, level);
    return lod > float(level) ? best(result, of_level(uv, level + 1)) : result;
}

void main()
{
#if STAGE == 1
    uint n = gl_GlobalInvocationID.x;
#else
    uvec2 px = uvec2(gl_FragCoord.xy);
    uint n = px.y * 32 + px.x;
#endif
    /* in halves of the texels of level 0, which has 16 x 16: middles and edges, of its border, too */
    vec2 uv = vec2(n % 32, n / 32) / 32.0;
    float lod = levels > 1 ? float(n % 3) * 0.5 : 0.0;
    vec4 got = textureLod(image, uv, lod), wanted = expected(uv, lod);
#if STAGE == 1
    results[2 * n] = got;
    results[2 * n + 1] = wanted;
#else
    o_color = vec4(got == wanted ? 1 : 0, 0, 0, 1);
#endif
}
