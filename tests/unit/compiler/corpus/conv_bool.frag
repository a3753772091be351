#version 450
// out@0 0.0 0.0 0.0 0.0
// out@3 1.0 1.0 1.0 0.0
// out@6 0.0 1.0 0.0 1.0
// out@9 1.0 0.0 0.0 1.0
// out@15 1.0 1.0 1.0 0.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    bool a = bool(v.w), b = bool(int(v.x) & 2);
    o = vec4(float(a), float(b), float(a && b), float(a != b));
}
