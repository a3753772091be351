#version 450
// Three colours: the pushed one, through a texture and a uniform, and the same with other components. COUNTS: counts the
// fragments in memory.
layout(push_constant) uniform P { vec4 color; };
layout(set = 0, binding = 0) uniform sampler2D t_scale;
layout(set = 0, binding = 1) uniform U { vec4 u_add; };
#ifdef COUNTS
layout(set = 0, binding = 2) buffer B { uint b_count; };
#endif
layout(location = 0) out vec4 o_first;
layout(location = 1) out vec4 o_second;
layout(location = 2) out vec4 o_third;
void main()
{
    vec4 value = color * texture(t_scale, vec2(0.5)) + u_add;
#ifdef COUNTS
    atomicAdd(b_count, 1u);
#endif
    o_first = value;
    o_second = value.zxyw;
    o_third = value.yzxw;
}
