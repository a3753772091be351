#version 450

// In a target of 16 x 16 pixels: covers the pixels (x, y) with y <= x.
void main()
{
    const vec2 corners[3] = vec2[](vec2(-0.5, 0.0), vec2(31.5, 32.0), vec2(31.5, 0.0));
    gl_Position = vec4(corners[gl_VertexIndex] / 8.0 - 1.0, 0.0, 1.0);
}
