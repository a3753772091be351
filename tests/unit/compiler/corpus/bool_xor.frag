#version 450
// out@0 0.0 1.0 1.0 1.0
// out@3 1.0 0.0 0.0 0.0
// out@6 0.0 1.0 1.0 1.0
// out@9 0.0 1.0 0.0 0.0
// out@15 0.0 1.0 0.0 0.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    bool a = v.w > 0.5, b = v.y > 0.0;
    o = vec4(float(a ^^ b), float(a == b), float(!a), float(!(a || b)));
}
