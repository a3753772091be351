#version 450
#extension GL_EXT_multiview : require
layout(location = 0) out vec4 o_color;
void main()
{
    o_color = vec4(float(gl_ViewIndex) / 4.0, 1.0, 0.0, 1.0);
}
