#version 450
// Red: the first corner's, whatever is drawn of a triangle; green: interpolated; blue: which way it faces.
layout(location = 0) flat in vec4 v_flat;
layout(location = 1) in vec4 v_smooth;
layout(location = 0) out vec4 color;
void main()
{
    color = vec4(v_flat.r, v_smooth.g, gl_FrontFacing ? 1.0 : 0.25, 1.0);
}
