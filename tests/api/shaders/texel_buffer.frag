#version 450
// One texel of the buffer per pixel; the last row asks for what lies behind the end and before the beginning.
layout(set = 0, binding = 0) uniform SAMPLER texels;
layout(push_constant) uniform P { int first; };
layout(location = 0) out vec4 o_color;

vec4 shown(vec4 x) { return x; }
vec4 shown(uvec4 x) { return vec4(x & 255u) / 255.0; }
vec4 shown(ivec4 x) { return vec4(x & 255) / 255.0; }

void main()
{
    int i = int(gl_FragCoord.y) * 16 + int(gl_FragCoord.x) + first;
    o_color = i < textureSize(texels) ? shown(texelFetch(texels, i)) : vec4(0.25, 0.5, 0.75, 1.0);
}
