#version 450
layout(depth_unchanged) out float gl_FragDepth;
layout(location = 0) out vec4 o;
void main()
{
    gl_FragDepth = gl_FragCoord.z;
    o = vec4(1.0);
}
