#version 450
// The pixel of the target itself, with its channels rotated and a little more green.
layout(set = 0, binding = 0) uniform sampler2D own;
layout(location = 0) out vec4 o_color;
void main()
{
    o_color = texelFetch(own, ivec2(gl_FragCoord.xy), 0).brga + vec4(0, 0.25, 0, 0);
}
