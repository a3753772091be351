#version 450
// spec 1 10
// out 39.0 1.5 252.0 -4.0
layout(constant_id = 0) const int A = 3;
layout(constant_id = 1) const int B = 4;
const int C = A * B + (A << 2) - B / A;
const bool D = (A < B) == ((B % 2) == 0); // glslang 12.0 turns && into control flow even here: invalid SPIR-V
const uint E = uint(A) ^ 0xffu;
const vec2 F = vec2(1.5, float(2.5));
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(float(C), D ? F.x : F.y, float(E), float(~A));
}
