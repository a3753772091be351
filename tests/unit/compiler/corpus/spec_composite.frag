#version 450
// spec 7 4.0
// out@0 4.0 2.0 8.0 4.0
// out@3 16.0 2.75 8.0 7.0
// out@6 28.0 3.5 8.0 4.0
// out@9 40.0 4.25 8.0 7.0
// out@15 64.0 5.75 8.0 7.0
layout(location = 0) in vec4 v;
layout(constant_id = 7) const float A = 2.0;
const vec4 K = vec4(A, 1.0, A, 3.0);
layout(location = 0) out vec4 o;
void main()
{
    o = K * v + K.zzzz;
}
