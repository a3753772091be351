#version 450
// The depth that tests would see, if nothing clamped it: halved, to see what is beyond its ends.
layout(location = 0) out vec4 color;
void main()
{
    color = vec4(gl_FragCoord.z * 0.5 + 0.25, 0.0, 0.0, 1.0);
}
