#version 450
// push 1.0 2.0
// out 3.0 1.0 2.0 6.0
layout(push_constant) uniform P { float a, b; };
layout(location = 0) out vec4 o;
struct Inner { float x; bool flag; vec2 v; };
struct Outer { Inner i[2]; float s; };
void main() { Outer q; q.i[0] = Inner(a, true, vec2(a, b)); q.i[1] = Inner(b, false, vec2(b)); q.s = 0.0;
  for (int k = 0; k < 2; k++) if (q.i[k].flag) q.s += q.i[k].v.x + q.i[k].v.y; 
  Outer r = q; r.i[0].x = 5.0; o = vec4(q.s, q.i[0].x, q.i[1].x, r.i[0].x + (q.i == r.i ? 100.0 : 1.0)); }
