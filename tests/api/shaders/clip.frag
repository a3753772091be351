#version 450
layout(early_fragment_tests) in; // what is clipped is no fragment: its depth is not written even so
in float gl_ClipDistance[2];
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(gl_ClipDistance[0] * 0.5, gl_ClipDistance[1] * 0.5, 0.0, 1.0);
}
