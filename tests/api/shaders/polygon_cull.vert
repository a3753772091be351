#version 450
// Two cull distances: red and green of the colour.
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 color;
layout(location = 0) flat out vec4 v_flat;
layout(location = 1) out vec4 v_smooth;
out gl_PerVertex
{
    vec4 gl_Position;
    float gl_PointSize;
    float gl_CullDistance[2];
};
void main()
{
    gl_Position = position;
    gl_PointSize = 5.0;
    gl_CullDistance[0] = color.r - 0.5;
    gl_CullDistance[1] = color.g - 0.5;
    v_flat = color;
    v_smooth = color;
}
