#version 450
// Never ends while `go_on` is not zero: an odd number times three is never zero.
layout(push_constant) uniform push { uint go_on; };
layout(location = 0) out vec4 o_color;
void main()
{
    uint n = 1u;
    while (go_on != 0u && n != 0u)
        n *= 3u;
    o_color = vec4(0.0, float(n), 0.0, 1.0);
}
