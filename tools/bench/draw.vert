#version 450
/* A grid of vertices. The depth, colour, transform and texture scale of the layer are push constants. */
layout(location = 0) in vec2 position;
layout(push_constant) uniform Push {
    vec4 color;
    vec4 rows[2]; /* rows of the transform that give x and y from (x, y, 0, 1) */
    float depth, texture_scale;
};
layout(location = 0) out vec4 color_out;
layout(location = 1) out vec2 place;

void main()
{
    vec4 p = vec4(position, 0, 1);
    gl_Position = vec4(dot(rows[0], p), dot(rows[1], p), depth, 1);
    color_out = color;
    place = (position * 0.5 + 0.5) * texture_scale;
}
