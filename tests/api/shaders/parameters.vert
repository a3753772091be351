#version 450
#extension GL_ARB_shader_draw_parameters : require
// A quad in a row of cells, by its vertices' numbers; its colour says what the draw is.
layout(location = 0) out vec4 v_color;
void main()
{
    int cell = gl_VertexIndex / 4, corner = gl_VertexIndex % 4;
    vec2 at = vec2(cell + (corner & 1), corner >> 1) * vec2(16.0 / 256.0, 16.0 / 192.0);
    gl_Position = vec4(at * 2.0 - 1.0, 0.5, 1.0);
    v_color = vec4(gl_BaseVertexARB, gl_BaseInstanceARB, gl_DrawIDARB, 255.0) / 255.0;
}
