#version 450
// buffer 1.0 2.0 3.0 0 4.0 5.0 6.0 0 10.0 11.0 12.0 13.0 20.0 21.0 0 0 30.0 31.0 0 0 40.0 0 0 0 41.0 0 0 0 42.0 0 0 0 50.0
// out 2.0 6.0 31.0 42.0
// out@1 2.0 6.0 31.0 42.0
layout(set = 0, binding = 0, std140) uniform U { vec3 a; vec3 b; vec4 c; mat2 d; float e[3]; float f; };
layout(location = 0) out vec4 o;
void main() { o = vec4(a.y, b.z, d[1][1], e[2]); }
