#version 450
layout(location = 0) in vec4 x;
layout(location = 1) in vec4 y;
layout(location = 2) in vec4 z;
layout(location = 0) out vec4 color;
void main()
{
    color.x = determinant(mat2(x.xy, x.zw));
    color.y = determinant(mat3(x.xyz, y.xyz, z.xyz));
    color.z = determinant(mat4(x, y, z, x.yzwx));
    color.w = inverse(mat3(x.xyz, y.xyz, z.xyz))[1][2];
}
