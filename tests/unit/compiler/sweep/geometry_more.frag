#version 450
layout(location = 0) in vec4 x;
layout(location = 1) in vec4 y;
layout(location = 2) in vec4 z;
layout(location = 0) out vec4 color;
void main()
{
    color.x = cross(x.xyz, y.xyz).y;
    color.y = faceforward(x, y, z).z;
    color.z = reflect(x.xyz, normalize(y.xyz)).x;
    color.w = refract(normalize(x.xy), normalize(y.xy), abs(z.w)).y;
}
