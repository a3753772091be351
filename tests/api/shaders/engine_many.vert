#version 450
// More values at a time than the chip has registers; three vertices for each of 49 triangles.
layout(location = 0) out vec4 v_color;
void main()
{
    int triangle = gl_VertexIndex / 3, corner = gl_VertexIndex % 3;
    vec2 at = vec2(triangle % 7, triangle / 7) / 3.5 - 1.0;
    float v[90];
    for (int i = 0; i < 90; i++)
        v[i] = float((gl_VertexIndex * (i + 3)) & 31) / 31.0;
    vec3 sum = vec3(0.0);
    for (int i = 0; i < 90; i++)
        sum[i % 3] = max(sum[i % 3] * 0.75, v[89 - i] * v[(i * 7) % 90]);
    v_color = vec4(sum, 1.0);
    gl_Position = vec4(at + vec2(corner == 1 ? 0.28 : 0.0, corner == 2 ? 0.28 : 0.0), 0.5, 1.0);
}
