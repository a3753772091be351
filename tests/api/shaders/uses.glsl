#version 450
// A swapchain's image as what programs read and write. What each way of reading it gives goes into a witness of its own;
// in the end the picture is drawn in its colour where all witnesses have the pattern that was copied in, else in black.
// READS_SAMPLED, READS_INPUT, STORES or FINISHES chooses the stage.
#extension GL_EXT_shader_image_load_formatted : enable
const vec4 shown = vec4(1.0, 0.2, 0.4, 1.0);

#ifdef READS_SAMPLED
layout(binding = 0) uniform sampler2D image;
layout(location = 0) out vec4 witness;
void main()
{
    witness = texture(image, gl_FragCoord.xy / vec2(textureSize(image, 0)));
}
#endif

#ifdef READS_INPUT
layout(input_attachment_index = 0, binding = 0) uniform subpassInput image;
layout(location = 0) out vec4 witness;
void main()
{
    witness = subpassLoad(image);
}
#endif

#ifdef STORES
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform image2D image;
layout(binding = 1, rgba8) writeonly uniform image2D witness;
void main()
{
    ivec2 place = ivec2(gl_GlobalInvocationID.xy);
    vec4 texel = imageLoad(image, place);
    if (any(greaterThanEqual(place, imageSize(image))))
        return;
    imageStore(witness, place, texel);
    if (((place.x + place.y) & 1) == 0)
        imageStore(image, place, shown);
}
#endif

#ifdef FINISHES
layout(constant_id = 0) const bool is_stored = false; // every other texel, which is not drawn then
layout(binding = 0) uniform sampler2D witnesses[3];
layout(location = 0) out vec4 color;
void main()
{
    ivec2 place = ivec2(gl_FragCoord.xy);
    vec4 pattern = vec4((place.x * 7 + place.y * 13) & 255, (place.x ^ place.y) & 255, (place.x + 3 * place.y) & 255,
                        255) / 255.0;
    bool is_right = true;
    for (int i = 0; i < (is_stored ? 3 : 2); i++)
        is_right = is_right && all(lessThan(abs(texelFetch(witnesses[i], place, 0) - pattern), vec4(0.001)));
    if (is_stored && ((place.x + place.y) & 1) == 0)
        discard;
    color = is_right ? shown : vec4(0);
}
#endif
