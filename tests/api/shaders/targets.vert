#version 450
// A quad behind what targets*.frag take: rectangle in clip space, depth.
layout(push_constant) uniform push { vec4 scale; vec4 offset; vec4 rect; float depth; };
void main()
{
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    gl_Position = vec4(mix(rect.xy, rect.zw, corner), depth, 1.0);
}
