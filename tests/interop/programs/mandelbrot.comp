#version 450
// Writes the number of steps until a point of the plane escapes to an image.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) writeonly uniform image2D picture;
void main()
{
    vec2 size = vec2(imageSize(picture));
    vec2 c = (vec2(gl_GlobalInvocationID.xy) + 0.5) / size * vec2(3.0, 2.4) - vec2(2.2, 1.2), z = vec2(0.0);
    int steps = 0;
    while (steps < 64 && dot(z, z) < 4.0) {
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        steps++;
    }
    imageStore(picture, ivec2(gl_GlobalInvocationID.xy), vec4(float(steps) / 64.0, steps == 64 ? 0.0 : 1.0, 0.5, 1.0));
}
