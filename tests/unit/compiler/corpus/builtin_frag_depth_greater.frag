#version 450
layout(location = 0) in vec4 v;
layout(depth_greater) out float gl_FragDepth;
layout(location = 0) out vec4 o;
void main()
{
    if (v.w > 0.5)
        gl_FragDepth = 0.75;
    else
        gl_FragDepth = gl_FragCoord.z;
    o = vec4(1.0);
}
