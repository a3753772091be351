#version 450
layout(set = 0, binding = 0) uniform samplerCube image;
layout(location = 0) in vec2 v_uv;
layout(location = 0) out vec4 o_color;
void main()
{
    // The sphere unrolled: longitude and latitude.
    float a = v_uv.x * 6.2831853, b = (v_uv.y - 0.5) * 3.1415927;
    o_color = textureLod(image, vec3(cos(b) * cos(a), sin(b), cos(b) * sin(a)), 0.0);
}
