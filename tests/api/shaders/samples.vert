#version 450
// A triangle from push constants: corners in clip space, depth. Alpha runs from corner to corner.
layout(push_constant) uniform push { vec4 scale; vec4 offset; vec4 corners01; vec2 corner2; float depth; };
layout(location = 0) out float v_alpha;
layout(location = 1) flat out float v_flat;
void main()
{
    vec2 corners[3] = vec2[](corners01.xy, corners01.zw, corner2);
    v_alpha = float(gl_VertexIndex) * 0.5;
    v_flat = 0.5;
    gl_Position = vec4(corners[gl_VertexIndex], depth, 1.0);
}
