#version 450
layout(vertices = 3) out;
layout(location = 0) in vec2 coord[];
layout(location = 0) out vec2 point_coord[];
void main()
{
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    point_coord[gl_InvocationID] = coord[gl_InvocationID];
    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelInner[0] = 2.0;
}
