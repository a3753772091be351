#version 450
// spec 0 -9
// spec 2 1
// out -9.0 0.5 1.0 7.0
layout(constant_id = 0) const int A = 3;
layout(constant_id = 1) const float B = 0.5;
layout(constant_id = 2) const bool C = false;
layout(constant_id = 3) const uint D = 7u;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(float(A), B, float(C), float(D));
}
