#version 450
/* Eight lights on a bumpy sphere: typical work of a shader-heavy frame, without memory accesses. */
layout(location = 0) in vec4 color;
layout(location = 1) in vec2 place;
layout(location = 0) out vec4 color_out;

void main()
{
    vec2 p = place * 2 - 1;
    vec3 normal = normalize(vec3(p + 0.1 * sin(p * 20), sqrt(max(2.2 - dot(p, p), 0))));
    vec3 sum = vec3(0.05);
    for (int i = 0; i < 8; i++) {
        vec3 light = normalize(vec3(float(i) * 0.5 - 2, 1 - float(i) * 0.2, 1));
        vec3 half_way = normalize(light + vec3(0, 0, 1));
        float diffuse = max(dot(normal, light), 0);
        float shine = pow(max(dot(normal, half_way), 0.001), 30);
        sum += color.rgb * diffuse * 0.2 + vec3(shine) * 0.1;
    }
    color_out = vec4(sum, 1);
}
