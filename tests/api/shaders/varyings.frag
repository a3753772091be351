#version 450
// Column x of the target shows scalar x: red if it is interpolated, green if it is flat.
#ifdef SMOOTH
layout(location = 0) in vec4 v_smooth[SMOOTH];
#else
#define SMOOTH 0
#endif
#ifdef FLAT
layout(location = FIRST) flat in ivec4 v_flat[FLAT];
#endif
layout(location = 0) out vec4 color;
void main()
{
    int column = int(gl_FragCoord.x);
    color = vec4(0.0, 0.0, 0.0, 1.0);
#if SMOOTH > 0
    for (int i = 0; i < 4 * SMOOTH; i++)
        if (i == column)
            color.r = v_smooth[i / 4][i % 4] / 128.0;
#endif
#ifdef FLAT
    for (int i = 0; i < 4 * FLAT; i++)
        if (i + 4 * SMOOTH == column)
            color.g = float(v_flat[i / 4][i % 4]) / 255.0;
#endif
}
