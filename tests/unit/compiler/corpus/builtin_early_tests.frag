#version 450
layout(early_fragment_tests) in;
layout(location = 0) in vec4 v;
layout(location = 0) out vec4 o;
void main()
{
    o = v * 0.0625;
    if (v.x > 12.0)
        discard;
}
