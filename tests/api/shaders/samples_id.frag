#version 450
// What an invocation knows of its sample.
layout(location = 0) out vec4 o_color;
void main()
{
    o_color = vec4(float(gl_SampleID) / 4.0, gl_SamplePosition, float(gl_SampleMaskIn[0]) / 15.0);
}
