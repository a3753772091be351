#version 450
// One value of TYPE for each location; a different one for each pixel and component.
layout(push_constant) uniform push { vec4 scale; vec4 offset; };
#ifndef COUNT
#define COUNT 1
#endif
layout(location = 0) out TYPE o_color[COUNT];
#ifdef COUNTS // invocations
layout(set = 0, binding = 0) buffer Counts { uint invocations; };
#endif
void main()
{
#ifdef COUNTS
    atomicAdd(invocations, 1);
#endif
    vec2 at = floor(gl_FragCoord.xy);
    for (int i = 0; i < COUNT; i++) {
        vec4 base = vec4(at.x, at.y, at.x + at.y, 63.0 - at.x + float(i) * 8.0);
        o_color[i] = TYPE(base * scale + offset);
    }
}
