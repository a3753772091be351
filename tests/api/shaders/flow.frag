#version 450
// Divergent loop with break, nested ifs, discard: a Mandelbrot set with a hole.
layout(location = 0) in vec2 v_uv;
layout(location = 0) out vec4 o_color;
void main()
{
    vec2 c = v_uv * vec2(3.0, 2.0) - vec2(2.0, 1.0), z = vec2(0.0);
    int i = 0;
    for (; i < 24; i++) {
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        if (dot(z, z) > 4.0)
            break;
    }
    if (length(v_uv - vec2(0.8, 0.2)) < 0.1)
        discard;
    if (i == 24)
        o_color = vec4(0.0, 0.0, 0.0, 1.0);
    else if ((i & 1) == 0)
        o_color = vec4(float(i) / 24.0, 0.25, 0.5, 1.0);
    else
        o_color = vec4(0.5, float(i) / 24.0, 0.25, 1.0);
}
