#version 450
// Shows the depth that the pixel is tested against.
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput i_depth;
layout(location = 0) out vec4 o_color;
void main()
{
    o_color = vec4(subpassLoad(i_depth).x, gl_FragCoord.z, 0.0, 1.0);
}
