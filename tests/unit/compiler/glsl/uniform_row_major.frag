#version 450
// buffer 1.0 2.0 3.0 0 4.0 5.0 6.0 0 7.0 8.0 9.0
// out@0 2.0 6.0 12.0 4.0
// out@1 4.0 6.0 12.0 4.0
layout(set = 0, binding = 0, std140, row_major) uniform U { mat3 m; };
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main() { o = vec4(m[1][0], m[2][1], (m * vec3(0.0, 1.0, 0.0)).z + m[1].y - 1.0, m[0][1]); if (v.x == 1.0) o.x = m[0][1]; }
