#version 450
// Gathers with offsets: constant, four constants, and computed. With FAR the offsets are the least and the greatest, and
// the last part samples with them.
layout(set = 0, binding = 0) uniform sampler2D image;
layout(location = 0) in vec2 v_uv;
layout(location = 0) out vec4 o_color;
void main()
{
#ifdef FAR
    const ivec2 four[4] = ivec2[4](ivec2(31, -32), ivec2(-32, -32), ivec2(31, 31), ivec2(-32, 31));
    const ivec2 one = ivec2(31, -32);
    ivec2 at = (ivec2(gl_FragCoord.xy) & 1) * 63 - 31;
#else
    const ivec2 four[4] = ivec2[4](ivec2(1, 0), ivec2(-3, 2), ivec2(0, -4), ivec2(5, 5));
    const ivec2 one = ivec2(2, -1);
    ivec2 at = ivec2(gl_FragCoord.xy) & 3;
#endif
    vec2 uv = v_uv * 1.3 - 0.1;
    if (gl_FragCoord.y < 20.0)
        o_color = textureGatherOffset(image, uv, one, 2);
    else if (gl_FragCoord.y < 40.0)
        o_color = textureGatherOffsets(image, uv, four, 1);
    else if (gl_FragCoord.y < 50.0)
        o_color = textureGatherOffset(image, uv, at - 1, 0);
    else
        o_color = textureOffset(image, uv, one);
}
