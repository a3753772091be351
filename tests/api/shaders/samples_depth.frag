#version 450
// Depth of the shader, a different one for each row.
layout(push_constant) uniform push { vec4 scale; vec4 offset; };
layout(location = 0) out vec4 o_color;
void main()
{
    o_color = offset;
    gl_FragDepth = floor(gl_FragCoord.y) / 64.0;
}
