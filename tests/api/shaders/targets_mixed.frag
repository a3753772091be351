#version 450
// Four targets of different kinds.
layout(push_constant) uniform push { vec4 scale; vec4 offset; };
layout(location = 0) out vec4 o_norm;
layout(location = 1) out uvec2 o_uint;
layout(location = 2) out vec4 o_float;
layout(location = 3) out int o_int;
void main()
{
    vec2 at = floor(gl_FragCoord.xy);
    o_norm = vec4(at / 64.0, offset.x, 0.5);
    o_uint = uvec2(at) * 1000u + uint(offset.y);
    o_float = vec4(at, at.yx * 0.25) + offset;
    o_int = int(at.x) - int(at.y) + int(offset.z);
}
