#version 450
// Depths from -1 to 3, by the column of 64.
layout(location = 0) out vec4 o_color;
void main()
{
    o_color = vec4(1.0);
    gl_FragDepth = floor(gl_FragCoord.x) / 16.0 - 1.0;
}
