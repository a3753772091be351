// SPDX-License-Identifier: MIT
#version 450
// Which layer and viewport the primitive is drawn to. glslang declares the capabilities Geometry and MultiViewport.
layout(location = 0) out vec4 color;

void main()
{
    color = vec4(float(gl_Layer), float(gl_ViewportIndex), 0, 1);
}
