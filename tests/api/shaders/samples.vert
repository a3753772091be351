#version 450
// A triangle from push constants: corners in clip space, depth, and in perspective. Inputs run from corner to corner.
layout(push_constant) uniform push { vec4 scale; vec4 offset; vec4 corners01; vec2 corner2; float depth; };
layout(location = 0) out float v_alpha;
layout(location = 1) flat out float v_flat;
layout(location = 2) noperspective out float v_linear;
layout(location = 3) out float v_array[2];
void main()
{
    vec2 corners[3] = vec2[](corners01.xy, corners01.zw, corner2);
    float w = 1.0 + float(gl_VertexIndex);
    v_alpha = float(gl_VertexIndex) * 0.5;
    v_flat = 0.5;
    v_linear = gl_VertexIndex == 0 ? 0.75 : 0.125;
    v_array[0] = gl_VertexIndex == 1 ? 0.875 : 0.0;
    v_array[1] = 1.0 - v_alpha;
    gl_Position = vec4(corners[gl_VertexIndex], depth, 1.0) * w;
}
