#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(set = 0, binding = 0) uniform Corner { vec4 at; } corners[];
layout(set = 0, binding = 1) uniform sampler2D images[];
layout(location = 0) out vec2 coord;
layout(location = 1) flat out vec4 tint;

void main()
{
    gl_Position = corners[nonuniformEXT(7 * gl_VertexIndex)].at;
    coord = gl_Position.xy * 0.5 + 0.5;
    tint = textureLod(images[nonuniformEXT(300 + gl_VertexIndex)], vec2(0.5), 0.0);
}
