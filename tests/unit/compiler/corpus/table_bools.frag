#version 450
// Booleans are words in a table.
// out@0 1.0 1.0 1.0 1.0
// out@3 1.0 1.0 1.0 1.0
// out@6 1.0 1.0 1.0 1.0
// out@9 1.0 1.0 1.0 1.0
// out@15 1.0 1.0 1.0 1.0
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
const bvec3 t[20] = bvec3[](
    bvec3(true, false, false), bvec3(false, true, true), bvec3(false, false, false), bvec3(true, false, false),
    bvec3(false, true, true), bvec3(false, false, false), bvec3(true, false, false), bvec3(false, true, true),
    bvec3(false, false, false), bvec3(true, false, false), bvec3(false, true, true), bvec3(false, false, false),
    bvec3(true, false, false), bvec3(false, true, true), bvec3(false, false, false), bvec3(true, false, false),
    bvec3(false, true, true), bvec3(false, false, false), bvec3(true, false, false), bvec3(false, true, true));
void main()
{
    int i = int(v.x);
    o = vec4(t[i].x, t[i + 4].y, t[19 - i].z, all(t[i]) || t[i + 1].y ? 1.0 : 2.0);
}
