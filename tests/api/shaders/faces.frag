#version 450
// The six faces of a cube beside each other, each as large as a sixth of the target.
layout(set = 0, binding = 0) uniform SAMPLER s;
layout(location = 0) out vec4 o_color;
void main()
{
    vec2 at = fract(gl_FragCoord.xy / 32.0) * 1.9998 - 0.9999;
    int face = int(gl_FragCoord.x / 32.0);
    vec3 dir = face == 0   ? vec3(1, -at.y, -at.x)
               : face == 1 ? vec3(-1, -at.y, at.x)
               : face == 2 ? vec3(at.x, 1, at.y)
               : face == 3 ? vec3(at.x, -1, -at.y)
               : face == 4 ? vec3(at.x, -at.y, 1)
                           : vec3(-at.x, -at.y, -1);
#ifdef ARRAY
    o_color = textureLod(s, vec4(dir, 1.0), 0.0);
#else
    o_color = textureLod(s, dir, 0.0);
#endif
}
