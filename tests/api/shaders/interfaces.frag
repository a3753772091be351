#version 450
// What interfaces.vert hands on: neighbouring pixels show the values of different components, and every component is
// shown all over a primitive.
layout(location = 0) in vec4 v_smooth[8];
layout(location = 8) noperspective in vec4 v_linear[6];
layout(location = 14) centroid in vec4 v_centroid[6];
layout(location = 20) flat in ivec4 v_int[4];
layout(location = 24) flat in uvec4 v_uint[4];
layout(location = 28) OWN in vec4 v_own[4];
layout(location = 0) out vec4 color;

#define SHOW(array, first, to_float) \
    for (int i = 0; i < 4 * array.length(); i++) \
        if (first + i == component) \
            shown = to_float;

void main()
{
    int component = (int(gl_FragCoord.x) + 37 * int(gl_FragCoord.y)) & 127;
    float shown = 0.0;
#ifdef INDEXED
    int location = component >> 2;
    if (location < 8)
        shown = v_smooth[location][component & 3];
    else if (location < 14)
        shown = v_linear[location - 8][component & 3];
    else if (location < 20)
        shown = v_centroid[location - 14][component & 3];
    else if (location < 24)
        shown = float(v_int[location - 20][component & 3] + 128) / 255.0;
    else if (location < 28)
        shown = float(v_uint[location - 24][component & 3] >> 24) / 255.0;
    else
        shown = v_own[location - 28][component & 3];
#else
    SHOW(v_smooth, 0, v_smooth[i / 4][i % 4])
    SHOW(v_linear, 32, v_linear[i / 4][i % 4])
    SHOW(v_centroid, 56, v_centroid[i / 4][i % 4])
    SHOW(v_int, 80, float(v_int[i / 4][i % 4] + 128) / 255.0)
    SHOW(v_uint, 96, float(v_uint[i / 4][i % 4] >> 24) / 255.0)
    SHOW(v_own, 112, v_own[i / 4][i % 4])
#endif
    color = vec4(shown, float(component) / 255.0, gl_FrontFacing ? 1.0 : 0.5, 1.0);
}
