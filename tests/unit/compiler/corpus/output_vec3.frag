#version 450
// out@0 0.0 1.0 0.0
// out@3 3.0 1.0 1.0
// out@6 6.0 1.0 0.0
// out@9 9.0 1.0 1.0
// out@15 15.0 1.0 1.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec3 o;
void main()
{
    o = v.xzw;
}
