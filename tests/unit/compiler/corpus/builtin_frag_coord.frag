#version 450
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(gl_FragCoord.xy / 16.0, gl_FragCoord.z, gl_FragCoord.w);
}
