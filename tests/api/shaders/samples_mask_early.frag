#version 450
layout(early_fragment_tests) in; // depth is written before the shader masks anything
// What is covered comes in and goes out: by columns all of it, some of it, none.
layout(push_constant) uniform push { vec4 scale; vec4 offset; };
layout(location = 0) out vec4 o_color;
void main()
{
    int column = int(gl_FragCoord.x) & 3;
    o_color = vec4(float(gl_SampleMaskIn[0]) / 15.0, offset.gba);
    gl_SampleMask[0] = column == 0 ? gl_SampleMaskIn[0] : column == 1 ? 5 : column == 2 ? 8 : 0;
}
