#version 450
// A rectangle whose place comes from a uniform buffer, and its depth from a texture.
layout(set = 0, binding = 0) uniform Place { vec4 place; };
layout(set = 0, binding = 1) uniform sampler2D heights;
layout(location = 0) out vec2 at;

void main()
{
    at = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    gl_Position = vec4(mix(place.xy, place.zw, at), textureLod(heights, at, 0.0).x * 0.5, 1.0);
}
