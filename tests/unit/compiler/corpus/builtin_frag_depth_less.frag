#version 450
layout(location = 0) in vec4 v;
layout(depth_less) out float gl_FragDepth;
layout(location = 0) out vec4 o;
void main()
{
    gl_FragDepth = v.w > 0.5 ? gl_FragCoord.z * 0.5 : gl_FragCoord.z;
    o = vec4(1.0);
}
