// SPDX-License-Identifier: MIT
#version 450
// Reads layer and viewport, for which glslang declares the capabilities Geometry and MultiViewport. The picture does not
// depend on them: without a vertex shader that selects them, some devices give garbage.
layout(location = 0) out vec4 color;

void main()
{
    color = vec4(float((gl_Layer | gl_ViewportIndex) & 0), 1, 0, 1);
}
