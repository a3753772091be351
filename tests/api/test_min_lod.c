/* SPDX-License-Identifier: MIT
 *
 * Lookups with the operand MinLod (shaderResourceMinLod). Every level of the texture has one value, so the value that a
 * lookup returns tells its level of detail.
 */
#include <math.h>
#include "vkt.h"
#include "cover.vert.h"
#include "min_lod.frag.h"

enum { SIZE = 16, TEXTURE = 64, LEVELS = 7, STEP = 32 };

/* Level of detail without bounds: that of the derivatives plus `bias` in either kind of lookup. */
struct lookup {
    int kind;
    float derivative_lod, bias, min_lod;
};

static const struct lookup lookups[] = {
    {0, 0, 0, 0},     {0, 0, 0, 1},      {0, 0, 0, 2.375f}, {0, 1, 0, 0.25f}, {0, 1, 0, 4},     {1, 0, 1, 0.25f},
    {1, 0, 1, 2.25f}, {1, 2, -1, 1.75f}, {2, 0, 1, 0.125f}, {2, 0, 1, 3},     {2, 1, 2, 2.75f}, {2, 1, 2, 3.25f},
};

static const struct sampler {
    VkSamplerMipmapMode mode;
    float bias, min_lod, max_lod;
} samplers[] = {
    {VK_SAMPLER_MIPMAP_MODE_NEAREST, 0, 0, LEVELS},
    {VK_SAMPLER_MIPMAP_MODE_LINEAR, 0, 0, LEVELS},
    {VK_SAMPLER_MIPMAP_MODE_NEAREST, 0.75f, 0.25f, 5},
    {VK_SAMPLER_MIPMAP_MODE_LINEAR, -0.5f, 0.5f, 4},
};

struct push {
    float scale[2], min_lod, bias;
    int32_t kind;
};

static VkSampler create_sampler(struct vkt *t, const struct sampler *s)
{
    VkSampler out;
    vkt_ok(vkCreateSampler(t->device,
                           &(VkSamplerCreateInfo){.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                                  .mipmapMode = s->mode,
                                                  .mipLodBias = s->bias,
                                                  .minLod = s->min_lod,
                                                  .maxLod = s->max_lod},
                           NULL, &out));
    return out;
}

static float bounded(float x, float low, float high)
{
    return fminf(fmaxf(x, low), high);
}

/* The value of a lookup, 255 times what the shader gets. */
static float expect(const struct sampler *s, const struct lookup *l)
{
    const float lod = l->derivative_lod + l->bias + s->bias;
    const float bounds = bounded(lod, fmaxf(s->min_lod, l->min_lod), fminf(s->max_lod, LEVELS - 1));
    return STEP * (s->mode == VK_SAMPLER_MIPMAP_MODE_LINEAR ? bounds : ceilf(bounds + 0.5f) - 1);
}

static struct vkt_image create_texture(struct vkt *t, VkFormat format)
{
    struct vkt_image image = vkt_image_create(
        t, &(struct vkt_image_info){.format = format,
                                    .width = TEXTURE,
                                    .height = TEXTURE,
                                    .levels = LEVELS,
                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    static float floats[TEXTURE * TEXTURE];
    static uint8_t bytes[TEXTURE * TEXTURE][4];
    for (uint32_t level = 0; level < LEVELS; level++) {
        const uint32_t count = (TEXTURE >> level) * (TEXTURE >> level);
        for (uint32_t i = 0; i < count; i++) {
            floats[i] = (float)(STEP * level) / 255;
            bytes[i][0] = (uint8_t)(STEP * level);
        }
        const void *texels = format == VK_FORMAT_R32_SFLOAT ? (const void *)floats : bytes;
        vkt_image_upload(t, &image, level, 0, texels, 4 * count);
    }
    return image;
}

static void draw(struct vkt *t, const struct vkt_target *target, const struct vkt_pipeline *p, VkDescriptorSet set,
                 const struct lookup *l)
{
    const float scale = exp2f(l->derivative_lod) / TEXTURE;
    const struct push push = {{scale, scale}, l->min_lod, l->bias, l->kind};
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, target, (const float[4]){1, 1, 1, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(cmd, p->layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof push,
                       &push);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
}

static void check(struct vkt *t, const struct vkt_target *target, const struct sampler *s, const struct lookup *l)
{
    struct vkt_picture out = vkt_read_target(t, target);
    const float want = expect(s, l);
    for (uint32_t i = 0; i < SIZE * SIZE; i++) /* the chip blends levels in sixteenths */
        if (!(fabsf((float)out.rgba[4 * i] - want) <= (s->mode == VK_SAMPLER_MIPMAP_MODE_LINEAR ? 3 : 0)))
            fail_msg("sampler %u, lookup %u, pixel %u: %u instead of %g", (unsigned)(s - samplers),
                     (unsigned)(l - lookups), i, out.rgba[4 * i], (double)want);
    vkt_picture_free(&out);
}

static void sample(struct vkt *t, VkFormat format)
{
    struct vkt_image image = create_texture(t, format);
    struct vkt_target target = vkt_target_create(t, SIZE, SIZE, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    const struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT, 1};
    VkDescriptorSetLayout layout = vkt_set_layout_create(t, &binding, 1);
    struct vkt_pipeline p = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(cover_vert),
                                                                               .fs = VKT_SHADER(min_lod_frag),
                                                                               .pass = target.pass,
                                                                               .set_layouts = {layout},
                                                                               .set_layout_count = 1,
                                                                               .push_size_B = sizeof(struct push),
                                                                               .topology = VKT_TRIANGLES,
                                                                               .width = SIZE,
                                                                               .height = SIZE});
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    for (uint32_t k = 0; k < VKT_COUNT(samplers); k++) {
        VkSampler sampler = create_sampler(t, &samplers[k]);
        vkt_set_texture(t, set, 0, image.view, sampler);
        for (uint32_t i = 0; i < VKT_COUNT(lookups); i++) {
            draw(t, &target, &p, set, &lookups[i]);
            check(t, &target, &samplers[k], &lookups[i]);
        }
        vkDestroySampler(t->device, sampler, NULL);
    }
    vkt_pipeline_destroy(t, &p);
    vkDestroyDescriptorSetLayout(t->device, layout, NULL);
    vkt_target_destroy(t, &target);
    vkt_image_destroy(t, &image);
}

/* The texture unit filters this format. */
static void by_the_texture_unit(void **state)
{
    sample(vkt_device(VKT_TESTED), VK_FORMAT_R8G8B8A8_UNORM);
}

/* Code filters this one. */
static void by_code(void **state)
{
    sample(vkt_device(VKT_TESTED), VK_FORMAT_R32_SFLOAT);
}

static void feature_says_so(void **state)
{
    VkPhysicalDeviceFeatures features;
    vkGetPhysicalDeviceFeatures(vkt_device(VKT_TESTED)->physical, &features);
    assert_true(features.shaderResourceMinLod);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(by_the_texture_unit, vkt_check_messages),
        cmocka_unit_test_teardown(by_code, vkt_check_messages),
        cmocka_unit_test_teardown(feature_says_so, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("min_lod", tests, NULL, vkt_teardown);
}
