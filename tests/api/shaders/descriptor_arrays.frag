#version 450
// Arrays of every kind of descriptor, with constant indices and with one that is the same for all.
layout(set = 0, binding = 0) uniform sampler2D both[3];
layout(set = 0, binding = 1) uniform texture2D images[3];
layout(set = 0, binding = 2) uniform sampler samplers[2];
layout(set = 0, binding = 3) uniform samplerBuffer texels[2];
layout(set = 0, binding = 4) uniform U { vec4 color[4]; } uniforms[3];
layout(set = 0, binding = 5) readonly buffer S { uint count; vec4 color[]; } storage[2];
layout(push_constant) uniform P { int i; };
layout(location = 0) in vec2 v_uv;
layout(location = 0) out vec4 o_color;
void main()
{
    int row = int(gl_FragCoord.y) / 8, column = int(gl_FragCoord.x) / 16;
    switch (row) {
    case 0:
        o_color = texture(both[i], v_uv);
        break;
    case 1:
        // one index for both: some drivers take the image's for the sampler as well
        o_color = texture(sampler2D(images[i & 1], samplers[i & 1]), v_uv * 3.0);
        break;
    case 2:
        o_color = i == 0 ? texelFetch(texels[0], column) : texelFetch(texels[1], column);
        break;
    case 3:
        o_color = uniforms[i].color[2];
        break;
    case 4:
        o_color = uniforms[i].color[column];
        break;
    case 5:
        o_color = storage[i & 1].color[min(column, storage[i & 1].color.length() - 1)];
        break;
    case 6:
        o_color = texture(both[2], v_uv) * 0.5 + uniforms[1].color[0] * 0.5;
        break;
    default:
        ivec2 size = textureSize(both[i], 0);
        o_color = vec4(vec2(size) / 255.0, float(storage[1].color.length()) / 255.0, 1.0);
        break;
    }
}
