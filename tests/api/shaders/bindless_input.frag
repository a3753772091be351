#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput inputs[3];
layout(location = 0) out vec4 color;

// Columns of three pixels read different attachments, so the index differs within quads.
void main()
{
    color = subpassLoad(inputs[nonuniformEXT(uint(gl_FragCoord.x) / 3 % 3)]);
}
