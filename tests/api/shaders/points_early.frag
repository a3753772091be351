#version 450
// Early tests; one of four samples is covered in the end.
layout(early_fragment_tests) in;
layout(location = 0) out vec4 o_color;
void main()
{
    o_color = vec4(1.0);
    gl_SampleMask[0] = 4;
}
