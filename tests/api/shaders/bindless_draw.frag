#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(set = 0, binding = 1) uniform sampler2D images[];
layout(location = 0) in vec2 coord;
layout(location = 1) flat in vec4 tint;
layout(location = 0) out vec4 color;

// Columns of four pixels take their texel from different images; the level follows from derivatives.
void main()
{
    const uint e = 100 * (uint(gl_FragCoord.x) / 4 % 3);
    color = texture(images[nonuniformEXT(e)], coord * 32.0) * vec4(1, 1, 0, 1) + tint * vec4(0, 0, 1, 0);
}
