#version 450
precision mediump float;
// push 2.0 8.0 0.5 1.0
// out 0.25 3.0 0.70710678 0.8415
layout(push_constant) uniform P { vec4 p; };
layout(location = 0) out vec4 o;
void main() { o = vec4(p.x / p.y, log2(p.y), sqrt(p.z), sin(p.w)); }
