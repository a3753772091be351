#version 450
// More values at a time than the chip has registers.
layout(location = 0) in vec2 v_uv;
layout(location = 0) out vec4 color;
void main()
{
    float v[80];
    for (int i = 0; i < 80; i++)
        v[i] = fract(v_uv.x * float(i + 1) * 0.37 + v_uv.y * float(80 - i) * 0.11);
    float sum = 0.0;
    for (int i = 0; i < 80; i++)
        sum = max(sum * 0.5, v[79 - i] * v[(i * 7) % 80]);
    color = vec4(sum, v[3] * v[77], v_uv);
}
