#version 450
// Every texel of the buffer is red; what lies outside has to be red as well, or nothing.
layout(set = 0, binding = 0) uniform samplerBuffer texels;
layout(push_constant) uniform P { int step; };
layout(location = 0) out vec4 o_color;
void main()
{
    vec4 c = texelFetch(texels, (int(gl_FragCoord.x) - 8) * step);
    bool good = c == vec4(1.0, 0.0, 0.0, 1.0) || c.rgb == vec3(0.0);
    o_color = good ? vec4(0.0, 1.0, 0.0, 1.0) : vec4(c.rgb, 0.0);
}
