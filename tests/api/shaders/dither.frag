#version 450
// Ramps, which come from the place of the pixel.
layout(location = 0) out vec4 color;
void main()
{
    vec2 at = gl_FragCoord.xy;
    color = vec4(at.x, at.y, (at.x + at.y) * 0.5, 64.0 - at.x) / 64.0;
}
