#version 450
// Red: interpolated; green: the same in the window; blue: the provoking vertex's; alpha: which way it faces.
layout(location = 0) flat in vec4 v_flat;
layout(location = 1) in vec4 v_smooth;
layout(location = 2) noperspective in float v_linear;
layout(location = 0) out vec4 color;
void main()
{
    color = vec4(v_smooth.r, v_linear, v_flat.b, gl_FrontFacing ? 1.0 : 0.5);
}
