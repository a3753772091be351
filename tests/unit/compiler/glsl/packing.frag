#version 450
// push 0.5 -1.0 1.0 0.25
// out 0xc0003800 0x40ff0080 0x207f8140 0x80014000
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) out uvec4 o;
void main() { o = uvec4(packHalf2x16(vec2(p.x, -2.0)), packUnorm4x8(p), packSnorm4x8(p), packSnorm2x16(vec2(p.x, p.y))); }
