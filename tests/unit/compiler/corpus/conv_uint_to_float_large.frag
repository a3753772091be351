#version 450
// push 0xffff0000 0x80000000 0x7fff0000 0xc0000000
// out 65535.0 32768.0 32767.0 49152.0
layout(push_constant) uniform P { uvec4 p; };
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(p) / 65536.0;
}
