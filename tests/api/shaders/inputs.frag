#version 450
layout(location = 0) out vec4 o_color;
void main()
{
    o_color = vec4(gl_FragCoord.xy / 64.0, gl_FragCoord.z, gl_FrontFacing ? 1.0 : 0.25);
}
