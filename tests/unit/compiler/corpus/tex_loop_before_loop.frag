#version 450
// A loop with lookups, followed by another loop. The last thread switch is between them, where almost no work is left,
// and the second loop starts with an address in an accumulator.
// push 3
layout(push_constant) uniform P { int n; };
layout(location = 3) in vec2 uv;
layout(set = 1, binding = 1) uniform sampler2D t;
layout(location = 0) out vec4 o;
void main()
{
    o = vec4(0.0);
    for (int i = 0; i < n; i++)
        o += texture(t, uv * float(i + 1)) / float(n);
    for (int i = 0; i < n; i++)
        o *= 0.75 + 0.0625 * float(n);
}
