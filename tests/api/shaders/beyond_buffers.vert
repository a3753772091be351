#version 450
// A point for each vertex, instance and number that is shown: its colour is a number from one of the attributes.
layout(location = 0) in uint many[11];
layout(location = 11) in uvec4 wide;
layout(location = 12) in uvec4 narrow; // two components in memory
layout(location = 13) in uvec4 per_instance;
layout(push_constant) uniform P { uint what; };
layout(location = 0) flat out uint number;
void main()
{
    uint column = uint(gl_VertexIndex) & 7u, row = what * 3u + uint(gl_InstanceIndex);
    uint numbers[16] = uint[](many[0], many[1], many[2], many[3], many[4], many[5], many[6], many[7], many[8], many[9],
                              many[10], wide.x, wide.w, narrow.y, narrow.w, per_instance.z);
    number = numbers[what];
    gl_Position = vec4((float(column) + 0.5) / 4.0 - 1.0, (float(row) + 0.5) / 24.0 - 1.0, 0.0, 1.0);
    gl_PointSize = 1.0;
}
