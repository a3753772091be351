#version 450
// Two colours: the pushed one, and the same with other components. SECOND: only the latter.
layout(push_constant) uniform P { vec4 color; };
#ifndef SECOND
layout(location = 0) out vec4 o_first;
#endif
layout(location = 1) out vec4 o_second;
void main()
{
#ifndef SECOND
    o_first = color;
#endif
    o_second = color.zxyw;
}
