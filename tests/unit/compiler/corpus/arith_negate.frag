#version 450
// out@0 0.0 -2.0 0.0 1.0
// out@3 -3.0 -1.25 3.0 0.0
// out@6 -6.0 -0.5 6.0 1.0
// out@9 -9.0 0.25 9.0 0.0
// out@15 -15.0 1.75 15.0 0.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(-v.x, -(-v.y), abs(-v.x), 1.0 - v.w);
}
