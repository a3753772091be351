#version 450
// One way to sample, by MODE, of one kind of image, by the macros that the build defines. Numbers are shown as bytes.
layout(constant_id = 0) const int MODE = 0;
layout(set = 0, binding = 0) uniform SAMPLER image;
layout(push_constant) uniform P { vec4 scale_offset; vec4 more; }; // more: z and layer: scale, offset; LOD; reference
layout(location = 0) in vec2 v_uv;
layout(location = 0) out vec4 o_color;

vec4 shown(vec4 x) { return x; }
vec4 shown(float x) { return vec4(x, x, x, 1.0); }
vec4 shown(uvec4 x) { return vec4(x & 255u) / 255.0; }
vec4 shown(ivec4 x) { return vec4(x & 255) / 255.0; }

void main()
{
    vec2 uv = v_uv * scale_offset.xy + scale_offset.zw;
    float w = (v_uv.x + v_uv.y) * more.x + more.y;
#if defined(CUBE)
    vec2 turn = uv * 6.2831853;
    vec3 dir = vec3(cos(turn.x) * cos(turn.y), sin(turn.y), sin(turn.x) * cos(turn.y) * 0.9);
#ifdef ARRAY
    vec4 c = vec4(dir, w);
#else
    vec3 c = dir;
#endif
    vec3 g = dir;
#elif defined(LINE)
#ifdef ARRAY
    vec2 c = vec2(uv.x, w);
#else
    float c = uv.x;
#endif
    float g = uv.x;
    const int offset = 3;
#elif defined(VOLUME)
    vec3 c = vec3(uv, w), g = c;
    const ivec3 offset = ivec3(3, -2, 1);
#else
#ifdef ARRAY
    vec3 c = vec3(uv, w);
#else
    vec2 c = uv;
#endif
    vec2 g = uv;
    const ivec2 offset = ivec2(3, -2);
#endif

#ifdef SHADOW
#if defined(CUBE) && defined(ARRAY)
    if (MODE == 0)
        o_color = shown(texture(image, c, more.w));
#elif defined(CUBE) || defined(ARRAY)
    vec4 p = vec4(c, more.w);
    if (MODE == 0)
        o_color = shown(texture(image, p));
    if (MODE == 6)
        o_color = textureGather(image, c, more.w);
#else
    if (MODE == 0)
        o_color = shown(texture(image, vec3(c, more.w)));
    if (MODE == 1)
        o_color = shown(textureLod(image, vec3(c, more.w), more.z));
    if (MODE == 6)
        o_color = textureGather(image, c, more.w);
#endif
#else
    if (MODE == 0)
        o_color = shown(texture(image, c));
    if (MODE == 1)
        o_color = shown(textureLod(image, c, more.z + v_uv.x * 4.0));
    if (MODE == 2)
        o_color = shown(textureGrad(image, c, dFdx(g) * 1.5, dFdy(g) * 1.5));
    if (MODE == 7)
        o_color = shown(texture(image, c, more.z));
#ifndef CUBE
    if (MODE == 3) {
        int level = int(more.z);
#if defined(LINE) && defined(ARRAY)
        o_color = shown(texelFetch(image, ivec2(vec2(textureSize(image, level)) * vec2(fract(uv.x), fract(w))), level));
#elif defined(LINE)
        o_color = shown(texelFetch(image, int(float(textureSize(image, level)) * fract(uv.x)), level));
#elif defined(ARRAY) || defined(VOLUME)
        o_color = shown(texelFetch(image, ivec3(vec3(textureSize(image, level)) * vec3(fract(uv), fract(w))), level));
#else
        o_color = shown(texelFetch(image, ivec2(vec2(textureSize(image, level)) * fract(uv)), level));
#endif
    }
    if (MODE == 4)
        o_color = shown(textureOffset(image, c, offset));
#endif
#if !defined(LINE) && !defined(VOLUME)
    if (MODE == 6)
        o_color = shown(textureGather(image, c, 1));
#endif
#endif
}
