#version 450
#extension GL_EXT_terminate_invocation : require
// Every other column ends early, in a function: it writes no colour, though colours are set before.
layout(location = 0) out vec4 color;
void leave_odd(uint x)
{
    if ((x & 1u) == 1u)
        terminateInvocation;
    color.g = 1.0;
}
void main()
{
    color = vec4(1.0, 0.0, 0.0, 1.0);
    leave_odd(uint(gl_FragCoord.x));
    color.b = 1.0;
}
