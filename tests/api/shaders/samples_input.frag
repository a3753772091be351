#version 450
// The samples of an input attachment: every other pixel's, one by one, or their mean with different weights.
layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInputMS image;
layout(location = 0) out vec4 o_color;
void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    o_color = subpassLoad(image, (at.x ^ at.y) & 3);
    if (at.y % 5 == 0)
        o_color = subpassLoad(image, 0) * 0.5 + subpassLoad(image, 1) * 0.25 + subpassLoad(image, 2) * 0.125 +
                  subpassLoad(image, 3) * 0.125;
}
