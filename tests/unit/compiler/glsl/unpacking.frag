#version 450
// push 0xc0003800 0x40ff0080 0x207f8140 0x80014000
// out 0.5 1.0 -1.0 0.50001526
layout(push_constant) uniform P { uvec4 p; };
layout(location = 0) out vec4 o;
void main() { o = vec4(unpackHalf2x16(p.x).x, unpackUnorm4x8(p.y).z, unpackSnorm4x8(p.z).y, unpackSnorm2x16(p.w).x); }
