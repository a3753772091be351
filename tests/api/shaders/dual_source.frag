#version 450
// Two colours of one target: the first is blended by the second.
layout(push_constant) uniform P { vec4 color; };
layout(location = 0, index = 0) out vec4 o_color;
layout(location = 0, index = 1) out vec4 o_factors;
void main()
{
    o_color = color;
    o_factors = vec4(gl_FragCoord.x / 64.0, color.gr, gl_FragCoord.y / 64.0);
}
