#version 450
// A texture in the middle of the target, and its border around it.
layout(set = 0, binding = 0) uniform SAMPLER s;
layout(location = 0) out COLOR o_color;
void main()
{
    vec2 at = gl_FragCoord.xy / 8.0 - 0.5;
#ifdef ARRAY
    o_color = texture(s, vec3(at, 1.0));
#else
    o_color = texture(s, at);
#endif
}
