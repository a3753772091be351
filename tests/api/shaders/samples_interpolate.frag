#version 450
// Inputs elsewhere than where they are declared.
layout(push_constant) uniform push { vec4 scale; vec4 offset; };
layout(location = 0) in float v_alpha;
layout(location = 2) noperspective in float v_linear;
layout(location = 3) in float v_array[2];
layout(location = 0) out vec4 o_color;
void main()
{
    int number = int(gl_FragCoord.x) & 3;
    vec2 off = vec2(float(number) / 8.0 - 0.25, offset.y - 0.25);
    o_color.x = interpolateAtSample(v_alpha, number);
    o_color.y = interpolateAtOffset(v_linear, off);
    o_color.z = interpolateAtOffset(v_array[number & 1], off);
    o_color.w = 1.0;
    if ((int(gl_FragCoord.y) & 1) == 0)
        o_color.w = interpolateAtSample(v_array[1], 3 - number);
}
